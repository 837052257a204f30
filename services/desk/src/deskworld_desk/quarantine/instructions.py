"""Signs of a letter that tries to steer the desk instead of answering it; `steering` weighs them.

Four kinds, each looked for sentence by sentence: new payment details, a claim of authority, an order about how the
case is to be handled, and words that pose as a system's or speak to a machine. A plain request is none of them.
"""

import re

from deskworld_desk.quarantine.plain import Sentence, disguised, fold, sentences

_BANK = (
    r"(?:bank(?:ing|s)?|wir(?:e|ing) (?:instructions|details|information)|ach|payment (?:details|information|data|"
    r"instructions)|iban|sort code|swift|bic|routing|beneficiary|remittance|bankverbindung|bankdaten|"
    r"kontoverbindung|konto\w*|"
    r"coordonnees bancaires|\brib\b|banque|banco|bancari\w+|cuentas?|comptes?(?! tenu| rendu)|accounts?|"
    r"direct deposits?|direct debit)"
)
_NO_BANK = re.compile(
    r"account (?:manager|team|executive|department|handler)|accounts? (?:payable|receivable|department|section|"
    r"division)|"
    r"statements? of account|trade accounts?|on account of|"
    r"customer account|credit account|user account|take (?:\w+ )?into account|passed (?:\w+ ){1,3}on to accounts|"
    r"bank holiday\w*|kundenkonto|"
    r"en cuenta|estado de cuenta|compte client|responsable de comptes?|to accounts\b|your accounts? (?:team|"
    r"colleague|dep)|account number with us|"
    r"sales accounts?|accounts? (?:office|clerk)"
)
_CHANGE = (
    r"(?:new|now|incorrect(?:ly)?|wrong|right one|coordinates|compromised|blocked|delete|use this|use the|"
    r"confirmation letter|on page \d|revis\w+|chang\w+|updat\w+|amend\w*|replac\w+|switch\w*|moved?|different|"
    r"instead|other than|rather than|"
    r"no longer|frozen|clos(?:ed|ing|es?)|"
    r"under audit|old|previous|former|from now|going forward|future|subsequent|below|following|attached|effective|"
    r"as of|henceforth|with immediate|"
    r"neue\w*|geandert\w*|anderung|gewechselt|ab sofort|kunftig|unten|nachfolgend\w*|umgestellt|aktualisier\w+|"
    r"nouve\w+|change\w*|desormais|modifi\w+|mettre a jour|ci-dessous|suivant|ce compte|"
    r"nuev[oa]s?|cambi\w+|actuali\w+|a partir de|proxim[oa]s|en adelante|siguiente)"
)
_UNCHANGED = re.compile(
    r"unchanged|no (?:hemos|ha|han) cambiado|(?:not|n't|never) (?:been )?chang\w*|(?:no|any) change|as always|"
    r"usual (?:bank )?account|nothing (?:has |was )?changed|same account|"
    r"known account|on record|unverandert|"
    r"nicht geandert|bekannte\w* konto|wie (?:immer|gewohnt)|inchange|n'a(?:vons)? pas change|habitue\w*|"
    r"sin cambios|no ha(?:n|bido)? cambi\w*|de siempre"
)
_PAY_ELSEWHERE = re.compile(
    r"\b(?:pay|transfer|remit|wire|send (?:the )?(?:money|amount|payment))\b.{0,60}\b(?:instead of (?:us|to us)|"
    r"this time|credit union|savings bank|factoring|new payee)\b|"
    r"\bpayment (?:coordinates|route|channel)\b|\b(?:neue|nueva|nouvel(?:le)?|new) iban\b"
)
_AND_YET = re.compile(r"\b(?:new|neue\w*|nouve\w+|nuev[oa]|except|but|apart from|from now)\b")
# Somebody of ours saying that they know of no change.
_HEARD_OF = re.compile(
    r"\b(?:i|we|me|us|ich|wir|mir|je|nous|yo|nos|me)\b.{0,40}\b(?:know nothing|no (?:knowledge|idea|record)|"
    r"not (?:aware|heard|informed|told|asked|request\w*)|"
    r"never (?:heard|asked|request\w*)|nichts|keine|nicht (?:bekannt|informiert)|rien|pas au courant|nada|no (?:se|"
    r"consta))|(?:nobody|no one) (?:told|informed|asked)|news to (?:me|us)|"
    r"(?:weiss|wissen|sais|savons|se|sabemos)\b.{0,20}\b(?:nichts|rien|nada)"
)
_PAY = (
    r"(?:pay|remit|transfer|settle|wire|deposit|send|zahl\w+|uberweis\w+|virements?|regler|payer|verser|pagar|"
    r"transferir|transferencia|pagos?)"
)
_PAY_TO = re.compile(rf"{_PAY}\b.{{0,80}}\b(?:to|on|auf|sur|a)\b.{{0,40}}(?:account|iban|konto|compte|cuenta)\b")
_NUMBERED = re.compile(
    r"\b(?:iban|sort code|routing|(?:account|iban|details) is(?: now)?|account(?: no\.?| number| ending)?|"
    r"konto(?:nr|nummer)?|compte(?: n°)?|cuenta(?: n°)?)[: ]+"
    r"(?:in |no |is |number |ending )*(?=[a-z0-9 -]*\d{4})"
)

_SUPERIOR = (
    r"(?:controller|controlling|cfo|ceo|coo|chief \w+ officer|(?:finance|financial|managing|executive) director|"
    r"head of (?:finance|accounts|procurement|purchasing|"
    r"accounting|treasury|ap)|treasurer|treasury|(?:ap|accounts payable|finance|payables) (?:manager|supervisor|"
    r"lead|team)|ap\b|administrators?|admin|auditors?|"
    r"the board|board of directors|(?:executive|management|supervisory) board|(?:senior |upper |your |"
    r"the )?management|compliance|supervisor|internal audit|"
    r"legal department|"
    r"geschaftsleitung|geschaftsfuhr\w+|finanzchef\w*|finanzleit\w+|buchhaltungsleit\w+|vorstand\w*|"
    r"leiter\w* (?:der )?(?:finanz\w*|buchhaltung)|revision\b|"
    r"directeur (?:financier|general|administratif)|directrice (?:financiere|generale)|controleur|direction\b|"
    r"commissaire aux comptes|"
    r"director(?:a)? (?:financier[oa]|general)|controlador|gerencia|auditor(?:ia|es)?)"
)
_IDENTITY = re.compile(
    r"(?:\b(?:i am|i'm|im|it's|it is|this is|here is|speaking as|writing as|acting as|as (?:an?|the|your)|"
    r"hier spricht|hier ist|hier schreibt|ich bin|je suis|c'est|soy|"
    rf"habla|le escribe|als)\b(?: \w+){{0,4}}(?:,| from| in| -)?(?: (?:the|your|an?|der|die|ihr|le|la|el|"
    rf"una?))? ?(?:\w+ )?\(?\b{_SUPERIOR}\b)|"
    rf"\bhere \(\w*{_SUPERIOR}|^(?:the )?{_SUPERIOR} here\b|\bas {_SUPERIOR}\b.{{0,40}}\b(?:i|we)\b|"
    r"\b(?:on|in|by|acting on|under|with|auf|par|por|sur) (?:the )?(?:behalf|authority|order|orders|instruction|"
    r"instructions|request|direction|anweisung|ordre|orden|instruccion\w*) "
    rf"(?:of|from|der|des|von|de|du|del)(?: (?:the|your|our|la|le|el))* ?{_SUPERIOR}|\banweisung (?:der|des|von|"
    rf"vom) {_SUPERIOR}"
)
# Anybody above the reader; saying what they want is already steering.
_ABOVE = (
    rf"(?:{_SUPERIOR}|(?:your|the|my) (?:boss|superiors?|chief|director|head|higher-ups|headquarters|head office|"
    r"parent company)|"
    r"(?:purchasing|procurement|commercial|operations|plant|regional|group) director|(?:your|the) it (?:department|"
    r"team|helpdesk)|"
    r"it department|help ?desk|(?:ihr|der) (?:chef|vorgesetzter?)|votre (?:patron|chef|superieur)|su (?:jefe|"
    r"superior))"
)
_WANTS = re.compile(
    rf"\b{_ABOVE}\b[^.]{{0,30}}\b(?:wants?|demands?|insists?|expects?|orders|ordered|asks|asked|told|tells|said|"
    r"says|(?:has |have )?already|decided|"
    r"gave|given|okayed|ok'?d|agreed to (?:the )?pay\w*|will (?:\w+ )?be (?:angry|furious|unhappy)|mochte|"
    r"will dass|verlangt|exige|veut|quiere|exige)\b|"
    rf"\b(?:asked|told|instructed|wants|ordered) (?:me|us|you) (?:to|that)\b.{{0,60}}\b(?:releas|approv|clear|pay|"
    r"reject|invoice|without)\w*|"
    rf"\bthis is (?:the |your )?{_ABOVE}\b|\bspoke (?:to|with) (?:your|the) (?:ceo|cfo|boss|director|controller)\b|"
    r"\bi have the authority\b"
)
_PRESSES = re.compile(
    rf"\b{_SUPERIOR}\b.{{0,80}}\b(?:pay|paid|payment|releas\w*|approv\w*|priority|urgent\w*|confidential\w*|"
    r"immediately|zahlung|paiement|pago)\b|"
    rf"\b(?:priority|urgent|urgency|important) (?:\w+ ){{0,3}}{_SUPERIOR}"
)
# How we check invoices is ours: an outsider who calls a check done, needless or faulty is steering.
_OUR_PROCESS = (
    r"(?:(?:three|3)-?way|match(?:ing)?(?: engine)?|mismatch\w*|verifications?|checks|approvals?|"
    r"approved for payment|releas(?:e|ing) (?:of )?(?:this|it|the)|"
    r"blocks?\b|hold\b|exceptions?|workflow|tolerances?|controls|compliance|regular process\w*|procedures?|"
    r"verificacion|prufung\w*|verifier|controle)"
)
_DISMISSED = (
    r"(?:skip\w*|waiv\w*|omit\w*|bypass\w*|outside|(?:not|n't|never) (?:be )?(?:need\w*|necessary|required)|"
    r"no need|needless|unnecessary|do(?:es)? not apply|accept|overlook\w*|"
    r"just this once|this once|completed?|already done|bug\b|faulty|lift|remove|deleted?|closed|inutile|omita|"
    r"entfallt|nicht notig)"
)
_DISMISSES = re.compile(
    rf"\b{_OUR_PROCESS}\b.{{0,60}}\b{_DISMISSED}|\b{_DISMISSED}\b.{{0,60}}\b{_OUR_PROCESS}|\bapproved for payment\b"
)
# Told to do, or allowed to do, something that only our people decide.
_DIRECTED = (
    r"(?:please|kindly|pls|you (?:shall|must|should|may|can|are (?:to|permitted|allowed))|(?:is|are|has|have|must|"
    r"shall) (?:to )?be\b|get (?:this|it|the|that)|"
    r"send (?:it|this) on|permission|permitted|under no circumstances|favou?r|i (?:hereby )?(?:grant|allow|"
    r"instruct|order|direct)|bitte|veuillez|merci de|por favor)"
)
_DECIDED_BY_US = (
    r"(?:approve\w*|your limits?|change (?:the )?status|status to|findings|honou?red|paid before|on to payment|"
    r"full sum|whole sum|classify|"
    r"purchasing department|buyer out of|genehmig\w*|approuv\w*|aprob\w*)"
)
_DIRECTS = re.compile(
    rf"\b{_DIRECTED}.{{0,60}}\b{_DECIDED_BY_US}|\b{_DECIDED_BY_US}\b.{{0,40}}\byou (?:shall|must|are to)\b|"
    r"^you (?:shall|must) \w+[.!]*$|"
    r"\b(?:finance|controlling|treasury|accounting|headquarters)\b.{0,40}\b(?:blessing|said yes|go-?ahead|"
    r"green light|has approved|gave)|"
    r"\bhighest level\b|\byour click\b|\bfrom (?:the )?(?:internal )?(?:audit|compliance|controlling|treasury)\b|"
    r"\bhere, (?:controlling|controller|finance|audit)\b|"
    r"\bunder no circumstances (?:inform|tell|contact|ask)|\bne (?:pas|rien) (?:en )?(?:parler|dire|informer|"
    r"prevenir)\b|"
    r"\bproceda\w* (?:sin|ya|inmediat)|\bi(?:m| am) auftrag (?:ihrer|der|ihres|des) (?:finanz|geschaft|vorstand|"
    r"leitung|controll)\w*"
)
_RULED = (
    r"(?:approved|pre-?approved|authori[sz]ed|cleared|signed|waived|verified|instructed|ordered|directed|decided|"
    r"released|asked (?:that|you|us|me)|told (?:me|us|you)|wants?|requires?|"
    r"freigegeben|genehmigt|angeordnet|angewiesen|approuve\w*|valide\w*|ordonne|autorise\w*|aprobad[oa]|aprobo|"
    r"autorizad[oa]|autorizo|ordenad[oa])"
)
_AUTHORITY = re.compile(
    rf"\b{_SUPERIOR}\b[^.]{{0,60}}\b{_RULED}|\b{_RULED}\b[^.]{{0,50}}\b(?:by|from|von|vom|par|"
    rf"por)\b[^.]{{0,25}}\b{_SUPERIOR}\b|\b{_SUPERIOR}'?s? (?:approval|authori[sz]ation|sign-?off|consent|"
    r"override)|"
    r"\bpre-?approved\b|\bhereby authori[sz]ed?\b|approval (?:reference|code|number|id)|\b(?:vorab|"
    r"bereits) (?:genehmigt|freigegeben)"
)
# What a superior may well have said yes to without steering anything: a price, a contract, an account with them.
_HARMLESS_MATTER = re.compile(
    r"\bprices?\b|\bquot|\bapplication\b|\btrade account\b|\bchange order\b|\bcontract\b|\bmeeting\b|\bprix\b|"
    r"\btarif|\bprecio|\bpreis|\bunits?\b.*\bship|\bboards? follow|\bshipment\b|\bcustoms\b"
)

_START = (
    r"(?:^|[,:;.\-\]>)]\s*|\b(?:please|pls|kindly|just|simply|then|now|and|must|should|shall|hereby|immediately|to|"
    r"you (?:may|can|are to|need to|have to|will)|"
    r"need you to|want you to|i order you to|have (?:it|this|that)|let us|bitte|und|sofort|veuillez|merci de|et|de|"
    r"por favor|y|debe\w*|step|task)\s+)"
)
_OBJECT = (
    r"(?:(?:it|this|that|them|everything)\b|(?:\w+ ){0,5}(?:invoices?|payments?|bills?|exceptions?|cases?|"
    r"variances?|holds?|amounts?|discrepanc\w+|mismatch\w*|match|approvals?|claims?|sum|money|funds)\b)"
)
_ORDERS = (
    rf"{_START}(?:re-?)?(?:approve|authori[sz]e|release|clear|unblock|reject|override|force|auto-?approve|expedite|"
    rf"short-?pay)\b (?:and \w+ )?{_OBJECT}",
    r"^(?:please |just |now )?(?:approve|reject|release|decline|refuse|pay|hold)(?: (?:it|this|now))*[.! ]*$",
    rf"{_START}(?:reject(?:ed)?|approved?|released?|cleared)\b (?:at once|today|now|immediately|right away)",
    r"\bhave (?:it|this|the invoice) (?:rejected|approved|released|paid|cleared)",
    rf"{_START}(?:bypass|skip|circumvent|waive|suspend|override|overlook|disable|turn off)\b",
    r"\b(?:ignore|disregard|forget|overlook|set aside|overrule|ignorier\w*|ignorez|ignore[ns]?|omita|olvid\w+|"
    r"oubliez|missacht\w+)\b.{0,30}"
    r"\b(?:rules?|instructions?|polic\w+|guidelines?|guidance|check\w*|procedures?|process\w*|controls?|"
    r"tolerances?|mismatch\w*|prompts?|warnings?|limits?|above|previous|prior|earlier|"
    r"pruf\w*|regeln?|anweisung\w*|vorgaben|regles?|consignes|controles?|reglas|instrucciones|normas|politicas?)\b",
    r"\b(?:disregard|ignore|forget|lift|remove|drop|stop|cease|end|cancel|ignorier\w*|ignorez|vergessen sie|"
    r"oubliez|olvide\w*)\b"
    r"(?: (?:any|the|all|your|every|each|that|this|what|everything|alle|toutes? les|todas? las))* ?"
    r"(?:holds?|checks?|inquir\w+|enquir\w+|investigation\w*|questions?|flags?|alerts?|blocks?|verification|"
    r"(?:what )?you (?:were|have been|know)|"
    r"(?:previous|prior|earlier|bisherig\w*|vorherig\w*|precedent\w*|anterior\w*|instruct\w*|anweisung\w*|"
    r"instrucc\w*))",
    r"\b(?:needs?|requires?|without|with no) (?:no )?(?:match\w*|receipts?|checks?|approvals?|buyer|controls?)\b|"
    r"\breceipt requirement\b",
    r"\b(?:you (?:only|just|simply) (?:have|need) to (?!pay (?:one|for|the))|all you (?:have|need) to do|"
    r"press the button|ask (?:questions )?later|process accordingly|"
    r"act accordingly|do as i say|do it now|do it and|work for us|get it done|make it happen)\b",
    r"\baction: ?\w+|\b(?:skip|bypass|omit) (?:the )?(?:rest|remaining|other|all|any|further)\b",
    r"\b(?:paid|released|cleared|approved|settled|booked) (?:without|before) (?:the |any |a |your )?(?:buyer|"
    r"receipt|check|approv|review|match|ok\b|confirm)",
    r"\byou (?:to )?(?:releas|approv|clear|reject|wav)ing\b|\b(?:releasing|approving|rejecting) (?:this|it|"
    r"the (?:invoice|payment))\b|"
    r"\byou (?:don't|do not|need not|needn't|dont) need (?:the |your |a |any )?(?:buyer|purchasing|approval|"
    r"receipt|match|check|confirmation|order)|"
    r"\breply with (?:the word|yes|approved|ok)\b|\bclosed the case\b|\bpay the whole\b|\bzahlung angeordnet\b",
    r"\bclear (?:it|this|the invoice) for payment\b|\btreat (?:it|this|any|all|"
    r"the \w+)(?: \w+){0,4} as (?:approved|paid|cleared|matched|resolved|obsolete|"
    r"verified|authori[sz]ed|settled)",
    r"\b(?:mark|set|flag|record|book|report|classify)\b.{0,40}\b(?:as|to)\b (?:approved|resolved|harmless|paid|"
    r"matched|cleared|safe|verified|false|true|closed|trusted)",
    r"\b(?:close|resolve|settle) (?:the|this|that|every|all|any) (?:open )?(?:case|exception|ticket|finding)s?\b",
    r"\b(?:proceed|go (?:straight|directly)) (?:to|with) (?:the )?(?:payment|pay)\b|\bpost (?:the )?invoice\b|"
    r"\brelease (?:the )?(?:hold|payment|funds)\b|\bpay (?:as billed|in full|at once|immediately|without|"
    r"right away)\b|"
    r"\b(?:you )?may pay (?:right|now|immediately)",
    r"\b(?:push|let|wave|run|put)\b.{0,40}\bthrough\b(?! the (?:phone|post|mail|carrier))",
    r"\b(?:no|without|skip\w*|needs? no|requires? no|nor)\b(?: any| a| the)?(?: (?:further|additional|more|other|"
    r"prior))?(?: \w+){0,2} ?(?:checks?|checking|verification|approvals?|review|reviewers?|"
    r"confirmation|validation|matching|inspection)\b(?! (?:from us|is on)).{0,20}(?:need|necessary|requir|$|by|"
    r"[.,;!])",
    r"\bwithout (?:the |your |any |waiting (?:for )?)?(?:buyer|purchasing|further|approval|check|asking|consult|"
    r"control|review|involving)",
    r"\bno need to (?:hold|check|ask|verify|wait|involve|match|contact|review)",
    r"(?<!\bwe )(?<!\bi )(?<!\bthey )(?<!\bus )\b(?:do not|don't|dont|never|avoid|"
    r"refrain from) (?:wait(?:ing)? for|contact(?:ing)?|"
    r"bother(?:ing)?|discuss(?:ing)?|mention(?:ing)?|tell(?:ing)?|inform(?:ing)?|ask(?:ing)?|involv(?:e|ing)|"
    r"hold(?:ing)?|"
    r"verify(?:ing)?|check(?:ing)?|call(?:ing)?|alert(?:ing)?|question(?:ing)?|reveal(?:ing)?|share|forward|"
    r"escalate)\b"
    r"(?! (?:if|to))",
    r"\bkeep (?:this|it) (?:between|confidential|secret|quiet|to yourself)|\b(?:it|"
    r"this) is (?:strictly )?confidential\b|\bconfidential(?:ly)?, do\b|\bbetween (?:us|you and me)\b",
    r"\bwire (?:the|this|that)\b|\boutside (?:the|of the) (?:normal|usual|standard|regular) (?:process|procedure|"
    r"channel|run)|\boverride code|\btolerance (?:checks?|limits?|overrides?)\b",
    r"\b(?:checks?|controls?|tolerances?|matching|verification|prufung\w*|controles?|"
    r"revision) (?:\w+ ){0,3}(?:waived|suspended|disabled|lifted|entfallt|entfallen|ausgesetzt|suspendu\w*|"
    r"suspendid\w*)",
    r"\b(?:apply|post|book|put) it (?:here|on any)\b|\b(?:apply|use) (?:this|the) (?:policy|rule|exception)\b|"
    r"\bpaid before receipt\b|\bon any open order\b",
    r"\b(?:is|are|was|be) to be (?:cleared|approved|paid|released|rejected|posted|settled)\b|\b(?:i|we) (?:order|"
    r"direct|instruct|command|require|urge) you\b|\b(?:has|have) instructed (?:that|you)\b",
    r"\brespond with\b|\byou must\b|\byour (?:new )?(?:task|role|instructions?)\b (?:is|are)|"
    r"\brecommend (?:approval|payment|rejection)\b|\bneed (?:this|the) payment out\b",
    r"\b(?:geben|gib) sie\b.{0,40}\bfrei\b|\bfreigeben\b|\bgenehmigen sie\b|\bohne (?:weitere |jede )?(?:prufung|"
    r"ruckfrage|freigabe|genehmigung)|\b(?:buchen|bezahlen|zahlen) sie\b.{0,30}\b(?:rechnung|sofort)\b|"
    r"\bprufung entfallt",
    r"\b(?:validez|approuvez|autorisez|rejetez|debloquez|liberez)\b|\bsans (?:passer par|verification|controle|"
    r"validation|autre)|\bne (?:contactez|prevenez|dites|parlez)\b",
    r"\b(?:apruebe\w*|autorice\w*|rechace\w*|libere\w*)\b|\bproceda\w* al pago\b|\bsin (?:revision|verificacion|"
    r"control|comprobacion|mas tramite|esperar)\b|\bno (?:contacte|informe|avise)\w*",
)
_ORDER = re.compile("|".join(f"(?:{order})" for order in _ORDERS))
# The writer takes back their own paper, or the shipment rather than the invoice is meant.
_OWN_PAPER = re.compile(
    r"\b(?:another customer|second|duplicate|later|copy|doubl\w+|twice|in error|by mistake|this bill|zweite\w*|"
    r"doppelt\w*|"
    r"doublon|segunda)\b"
)
_WITHDRAWAL = re.compile(r"\b(?:reject|ignore|disregard|cancel|void|discard|ignorieren|stornieren|annuler|anular)\b")

_SYSTEM = re.compile(
    r"<!--|-->|```|\{\{|\}\}|\[\[|###|<(?![^>]*[@:])/?[a-z_]+>|\b(?:reviewer|agent|assistant|internal|system|"
    r"processing) (?:note|memo|comment|hint)s?\b|"
    r"\bif you are (?:an? )?(?:ai|automated|bot|assistant|language|machine|robot|system)|"
    r"\bwhen(?:ever)? (?:you )?(?:summari[sz]|read|process|classif|pars)\w+|"
    r"\boutput\b|\brespond (?:only|with)\b|\bconfirms_price_agreed\b|\bsay that the (?:vendor|buyer|price)\b|"
    r"\bto the accounts clerk\b|"
    r"\bsystemmeldung\b|\bas an? (?:ai|language model|assistant)\b|\btesting the workflow\b|"
    r"[<\[{*#=|]\s*/?\s*(?:system|sys|admin|assistant|user|instruction|prompt|automated|auto|policy|notice|end|new|"
    r"inst)\b[^\n]{0,60}[>\]}*#=|:]|"
    r"\b(?:system|automated|automatic|automatisch\w*)\s(?:notice|message|notification|alert|override|prompt|policy|"
    r"workflow|instruction|instruccion|mitteilung|meldung|directive)\b|"
    r"\b(?:message|mensaje|meldung|nachricht|avis) (?:from|du|del|des|vom) (?:the )?(?:\w+ )?(?:system\w*|sistema|"
    r"workflow)|\bsystem:|\bassistant:|"
    r"\bend of (?:message|letter|mail)\b|(?<!any )\bnew (?:task|instructions?)\b|\b(?:maintenance|developer|debug|"
    r"admin|god|"
    r"test) mode\b|\bpolicy (?:update|engine|change|override)\b|"
    r"\b(?:note|message|instructions?|hint|attention) (?:to|for) (?:the |any |all )?(?:ai|bot|model|agent|"
    r"assistant|llm|reviewer|processing|automated|system|software|robot)|\b(?:processing|ai|language|"
    r"autonomous) (?:agent|model|assistant)\b|"
    r"\byou are (?:now )?(?:an?|in|the)\b.{0,30}\b(?:ai|assistant|model|agent|mode|bot|system)\b|"
    r"\btell your system\b|\b(?:previous|prior|earlier|above|these|this|following|all) (?:instructions?|guidance|"
    r"prompts?)\b|"
    r"\bcontains?_instructions?\b|\bapprove-variance\b|\bshort-pay\b|\brequest-credit-memo\b|"
    r"\bpropose_resolution\b|\brelease-hold\b|\bkeep_hold\b|"
    r"\b(?:status|state) (?:changed|set|updated) to\b|\b(?:exception|case|invoice)\b(?: \w+)? (?:cleared|approved|"
    r"released|aprobad[oa]|freigegeben|approuvee)\b(?! yet)|\b(?:case|exception) cleared\b|"
    r"\bnext step\b.{0,30}\b(?:pay|post|approve|release)|"
    r"\bap (?:system|workflow|automation|engine)\b|\btrusted (?:list|vendor|supplier|sender)s?\b|\bwhitelist\w*|"
    r"\bjailbreak\b|\bsystem prompt\b"
)


def signs(sentence: Sentence) -> frozenset[str]:
    """Which of these a sentence shows, by name."""
    folded, asks = sentence.folded, sentence.question
    harmless = asks or _HARMLESS_MATTER.search(folded) is not None
    found = {
        "sign:bank": _new_payment_details(folded, question=asks),
        "sign:system": bool(_SYSTEM.search(folded) and not (asks and not re.search(r"[<\[{]", folded))),
        "sign:identity": _IDENTITY.search(folded) is not None,
        "sign:wants": not harmless and _WANTS.search(folded) is not None,
        "sign:presses": not harmless and _PRESSES.search(folded) is not None,
        "sign:directs": not harmless and _DIRECTS.search(folded) is not None,
        "sign:dismisses": not asks and _DISMISSES.search(folded) is not None,
        "sign:authority": not harmless and _AUTHORITY.search(folded) is not None,
        "sign:orders": _orders(folded, question=asks),
    }
    shown = frozenset(name for name, holds in found.items() if holds)
    return shown | {"sign"} if shown else shown


def hides_orders(text: str) -> bool:
    """Whether words stand in the text in another guise that nobody hides without a reason."""
    hidden = disguised(text)
    return bool(hidden) and any(signs(sentence) or _bare_order(sentence.folded) for sentence in sentences(hidden))


def _new_payment_details(folded: str, *, question: bool) -> bool:
    bare = _NO_BANK.sub(" ", folded)
    if _PAY_ELSEWHERE.search(bare):
        return True
    if re.search(r"\b(?:no longer|only|now) (?:accept|receive)\w* (?:\w+ )?payments?\b", bare):
        return True
    if not re.search(rf"\b{_BANK}\b", bare):
        return False
    changes = re.search(rf"\b{_CHANGE}\b", bare) is not None
    numbered = _NUMBERED.search(bare) is not None and (changes or re.search(rf"\b{_PAY}\b", bare) is not None)
    settled = _UNCHANGED.search(bare) and not _AND_YET.search(bare)
    if not numbered and (settled or _HEARD_OF.search(bare)):
        return False
    if question and not re.search(rf"\b{_CHANGE}\b.{{0,40}}\b{_BANK}\b", bare):
        return False
    return numbered or changes or _PAY_TO.search(bare) is not None


def _orders(folded: str, *, question: bool) -> bool:
    if not _ORDER.search(folded):
        return False
    if question and not re.search(r"\b(?:could|can|would|will) you\b", folded):
        return False
    own = _OWN_PAPER.search(folded) or (re.search(r"\bour\b", folded) and not re.search(r"\breject", folded))
    elsewhere = re.search(r"\b(?:all|other|every|rules?|polic)", folded)
    return not (_WITHDRAWAL.search(folded) and own and not elsewhere)


def _bare_order(folded: str) -> bool:
    """Letters set apart lose their spaces too."""
    return any(
        word in fold(folded)
        for word in ("approve", "release", "ignore", "override", "payment", "controller", "instruction", "newaccount")
    )
