"""What stands around an answer and says nothing of the matter: greetings, thanks, signatures, footers, disclaimers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from deskworld_desk.quarantine.plain import Sentence

_GREETING = re.compile(
    r"(?:(?:dear|hello|hi|hey|hiya|good (?:morning|afternoon|evening|day)|greetings|to whom it may concern|gentlemen|"
    r"sehr geehrte[rs]?|guten (?:tag|morgen|abend)|hallo|moin|servus|gruss gott|gruezi|liebe[rs]?|werte[rs]?|"
    r"bonjour|bonsoir|madame|monsieur|mesdames|messieurs|chers?|cheres?|salut|estimad[oa]s?|apreciad[oa]s?|hola|"
    r"buenos dias|buenas tardes|buenas noches|distinguid[oa]s?|muy senor(?:es)? mio?s?|"
    r"sirs?|madam|all|there|team|together|everyone|folks|colleagues?|customers?|partners?|or|and|a|"
    r"damen|herren|und|herr|frau|zusammen|kolleg\w+|kunde[n]?|geschaftspartner|"
    r"tous|toutes|et|collegues?|clients?|equipe|todos|todas|senor\w*|sr|sra|companer\w+|clientes?|equipo)\b"
    r"[ ,:!.-]*)+"
)
_FAREWELL = re.compile(
    r"(?:(?:with|mit|con|un|muchos|bien|kind\w*|best|warm\w*|many|freundlich\w*|viele[nr]?|beste[nr]?|liebe|"
    r"herzlich\w*|schone|sonnige|meilleures?|cordiales|salutations|sinceres|reciban?|atent[oa]s?|vielen|yours|"
    r"all the) )*"
    r"(?:regards|rgds|wishes|greetings|gruss\w*|grusse\w*|mfg|vg|lg|bg|cordialement|cdt|cdlt|salutations|bien a vous|"
    r"saludos?|atentamente|cordialmente|sincerely|faithfully|truly|cheers|best|br|respectfully|"
    r"thanks|thank you|thx|danke|dank|merci|gracias|un abrazo|hochachtungsvoll|amities|a bientot|bis bald)\b"
    r"(?: ?(?:in advance|again|im voraus|d'avance|de antemano|distinguees|cordiales|aus|from|yours))?[ ,:!.-]*"
)
# How many words of a name may follow a greeting or a farewell.
_NAME = 5
_POLITE = re.compile(
    r"do(?: not|n't) hesitate|feel free to|any (?:further |other |more )?(?:questions?|queries|information)\b|"
    r"anything else|(?:look|looking) forward|at your (?:disposal|service)|further assistance|"
    r"^(?:many )?thank(?:s| you)(?: very much| so much| a lot)? for (?:your|the|contacting|reaching|getting|writing)"
    r"(?! (?:prompt |quick )?payment)|thank you for (?:your )?(?:patience|understanding|cooperation)|"
    r"(?:apolog\w+|sorry) for (?:any|the|my|our) (?:inconvenience|trouble|late|delay(?:ed)? (?:in |reply|response|"
    r"answer))|hope (?:this|that|it|you|all|everything) (?:\w+ )?(?:finds?|helps?|clears|answers|clarif|is well|"
    r"are well|(?:has |have )?had|had)|have a (?:nice|good|great|lovely)|nice (?:weekend|day|evening)|"
    r"appreciate your (?:business|patience|understanding)|sent from (?:my|outlook|mail)|excuse my english|"
    r"stehen? (?:wir|ich) (?:ihnen )?(?:\w+ )?(?:gern|jederzeit|zur verfugung)|zur verfugung|(?:bei|fur) "
    r"(?:weitere\w* )?(?:ruck)?fragen|(?:vielen|herzlichen|besten) dank fur (?:ihre?n?|die|das|deine?n?|euer) "
    r"(?!zahlung)|unannehmlichkeit|verspatete|spate antwort|schone[nsr]? (?:tag|woche|wochenende|feierabend)|"
    r"gute zusammenarbeit|auf weiterhin|geholfen zu haben|von meinem \w+ gesendet|hoffe,? es geht|"
    r"n'hesitez pas|a votre (?:entiere )?disposition|merci (?:beaucoup )?(?:de|pour) (?:votre|vos|la)\b(?!.*paiement)|"
    r"bonne (?:journee|soiree|reception|fin)|bon week-?end|complement d'information|renseignement complementaire|"
    r"excuser (?:ce|le|pour|la gene)|desole pour (?:la reponse|le retard de)|esperant|j'espere que vous|"
    r"veuillez agreer|je vous prie d'agreer|envoye (?:de|depuis)|"
    r"no dude en|a su (?:entera )?disposicion|quedamos a|quedo a|cualquier (?:duda|consulta|aclaracion)|"
    r"gracias (?:de antemano|por (?:su|tu|la|el)\b(?! pago))|buen (?:dia|fin de semana)|lamentamos las molestias|"
    r"disculp\w+ (?:las molestias|la tardanza|por la demora)|espero que (?:se|este|todo)|enviado desde|"
    r"reciban? un cordial|"
    r"confirm (?:the |your )?receipt|bestatigen sie (?:\w+ )?(?:den|uns)? ?(?:erhalt|eingang)|bonne reception|"
    r"confirmen? la recepcion|(?:if|wenn|si) (?:something|anything|etwas|quelque chose|algo) (?:is |no |n'|ist )?"
    r"(?:un\w+|est pas clair|queda claro)|quote our reference|unsere referenz an|not reply to this|"
    r"nicht auf diese adresse|pas repondre a cette|responda a esta direccion|"
    r"in the office until|im buro|au bureau jusqu|en la oficina hasta"
)
# What leads up to an answer, or heads the mail below.
_OPENING = re.compile(
    r"(?:re|aw|wg|fwd?|subject|betreff|objet|asunto|from|von|de|to|an|a|para|sent|gesendet|envoye|enviado|date|datum|"
    r"fecha|cc|your ref\w*|our ref\w*|ihr zeichen|unser\w* (?:zeichen|referenz)|v/ref|n/ref|s/ref|kundennummer|"
    r"customer no|n[°o] (?:client|de cliente))\b[^:]{0,12}:.{0,70}|-{2,}.{0,40}-{2,}|"
    r"(?:in (?:response|reply|answer) to|with reference to|further to|regarding|concerning|as to|following|we refer to|"
    r"this is regarding|you (?:asked|wrote)|to answer your|here is our|your question|after checking with|"
    r"bezug nehmend|zu ihre[rm]|auf ihr|es geht um ihr|sie fragten|zur beantwortung|hier unsere|ihre frage|"
    r"nach rucksprache|suite a|en reponse a|concernant votre|nous faisons suite|il s'agit de votre|vous nous avez|"
    r"pour repondre|voici notre|votre question|apres verification|con referencia a|en respuesta a|se trata de su|"
    r"nos preguntaron|para responder|nuestra respuesta|su pregunta|tras consultar|sobre su)\b.{0,110}?"
    r"(?:as follows|the following|folgendes mit|wie folgt stellung|precisions suivantes|ce qui suit|lo siguiente|"
    r"question|invoice|rechnung|facture|factura|mail|letter|message|frage|schreiben|below|unten|abajo|ci-dessous|"
    r"\d|:)[.:, ]*"
)
_FOOTER = re.compile(
    r"confidential\w*\b.*\b(?:intended|privileg|information|attach|files|notice|recipient)|confidentiality|"
    r"intended (?:solely|only|recipient|for the)|addressee|\bprivileged\b|unauthori[sz]ed (?:copy|use|disclos)|"
    r"(?:received|got) (?:it|this \w+|this) (?:in error|by mistake)|legal notice|disclaimer|scanned for virus|"
    r"environment before|think before (?:you )?print|vertrauliche (?:\w+ )?information|richtige adressat|"
    r"unbefugt|unerlaubte|irrtumlich erhalten|bevor sie diese|confidentiels?\b.*\b(?:destin|adress)|"
    r"destinataire|recu(?:e)? par erreur|avant d'imprimer|diffusion|confidencial\w*\b.*\b(?:destinat|dirig)|"
    r"recibido por error|antes de imprimir|prohibida su|aviso legal|"
    r"registered (?:in|office)|company (?:no|reg|number)|vat (?:no|id|reg|gb|number)|\bhrb\b|amtsgericht|"
    r"handelsregister|ust-?id|sitz der|\brcs\b|siret|au capital|\btva\b ?(?:fr|intra|n)|registro mercantil|"
    r"\b(?:cif|nif)\b[: ]|geschaftsfuhr\w+:|managing director:|https?://|www\.|(?:tel|phone|fax|mobile?|mob|telefon|"
    r"telefono|tlf|handy)\b[.: ]+[+(\d]|[\w.]+@[\w.]+\.\w+$|general terms and conditions .*apply|es gelten unsere|"
    r"conditions generales .*appliquent|se aplican nuestras"
)
_POSTSCRIPT = re.compile(r"(?:p\.? ?p?\.?s|pd|n\.?b)\b\.?:?")
# A signature's line: a name, a title, a place; beyond this many words it is a sentence.
_SIGNATURE = 9


@dataclass(frozen=True, slots=True)
class Framed:
    """Places of sentences: `around` says nothing of the matter; `below` stands under the farewell."""

    around: frozenset[int]
    below: frozenset[int]


def framing(found: Sequence[Sentence]) -> Framed:
    around: set[int] = set()
    below: set[int] = set()
    ended = False
    for place, sentence in enumerate(found):
        folded = sentence.folded.strip(" *_-")
        farewell = place > 0 and _only(_FAREWELL, sentence)
        if _POSTSCRIPT.match(folded):
            ended = False
        elif ended:
            below.add(place)
        if (
            farewell
            or _only(_GREETING, sentence)
            or _heads(folded)
            or _FOOTER.search(folded)
            or (ended and len(folded.split()) <= _SIGNATURE and not sentence.question)
        ):
            around.add(place)
        ended = ended or farewell
    return Framed(frozenset(around), frozenset(below))


def _only(pattern: re.Pattern[str], sentence: Sentence) -> bool:
    """The pattern, then nothing but a name."""
    folded = sentence.folded.strip(" *_-")
    found = pattern.match(folded)
    if found is None:
        return False
    rest = folded[found.end() :].split()
    names = sentence.text.split()[-len(rest) :] if rest else []
    return len(rest) <= _NAME and all(
        name.strip(" *_-,.:!()|")[:1].isupper() or not name[0].isalnum() for name in names
    )


def _heads(folded: str) -> bool:
    return _polite(folded) or _OPENING.fullmatch(folded) is not None


def _polite(folded: str) -> bool:
    """Courtesies and nothing more: every clause of some length is one."""
    clauses = [clause for clause in re.split(r"[,;:] ", folded) if len(clause.split()) > 2]
    return bool(clauses) and len(folded.split()) <= 20 and all(_POLITE.search(clause) for clause in clauses)
