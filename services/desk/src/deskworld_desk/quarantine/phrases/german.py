"""German; umlauts fold to their plain letter, sharp s to ss."""

from deskworld_desk.quarantine.phrases.cue import Cue

# A table, read cue by cue:
# fmt: off
PHRASES: dict[Cue, tuple[str, ...]] = {
    Cue.AGREED: (
        r"vereinbar\w+", r"abgesprochen", r"absprache", r"abgestimmt", r"ausgemacht", r"ausgehandelt", r"geeinigt",
        r"einig\b", r"verabredet",
    ),
    Cue.CONSENTED: (
        r"zugestimmt", r"zustimmung", r"bestatigt", r"bestatigung", r"genehmigt", r"akzeptiert", r"einverstanden",
        r"freigegeben", r"zugesagt",
    ),
    Cue.PRICE: (
        r"\w*preise?s?\b", r"\w*preisen\b", r"betrag", r"angebot", r"tarif", r"satz\b", r"fracht\w*", r"zuschlag",
        r"aufpreis", r"kosten\b",
    ),
    Cue.CONTENT: (
        r"ja\b", r"stimmt\b", r"(?:passt|geht) so", r"in ordnung", r"ist (?:richtig|korrekt)",
        r"kann (?:so )?bezahlt", r"einverstanden",
    ),
    Cue.NOT: (r"nicht", r"kein\w*", r"nie\b", r"niemals", r"niemand\w*", r"nichts", r"weder", r"nein\b", r"ohne\b"),
    Cue.HARMLESS_NOT: (
        r"kein (?:fehler|problem|irrtum|duplikat|zweifel)", r"keine (?:einwande|doppelte|dublette)", r"nicht nur",
        r"nichts einzuwenden",
    ),
    Cue.SUPPOSED: (r"falls\b", r"wenn\b", r"sollten sie", r"ob\b", r"konnten (?:wir )?uns"),
    Cue.KNOWS_NOTHING: (
        r"weiss ich nichts", r"wissen wir nichts", r"(?:weiss|wissen) (?:da)?von nichts",
        r"nichts (?:davon )?bekannt", r"nicht bekannt", r"keine ahnung",
        r"davon (?:weiss|wissen|ist)\b.{0,20}\bnicht", r"kenne ich nicht", r"nie gehort",
        r"kann (?:ich|das) nicht bestatigen",
    ),
    Cue.WRONG: (
        r"^nein\b", r"(?:ist|war) falsch", r"stimmt nicht", r"nicht (?:richtig|korrekt)",
        r"irrtumlich (?:berechnet|gestellt)", r"unser fehler", r"fehler in der rechnung", r"falsch berechnet",
    ),
    Cue.TWICE: (
        r"doppelt\w*", r"zweimal", r"zwei mal", r"duplikat", r"zweite (?:rechnung|exemplar)", r"dublette",
        r"die zweite\b", r"nochmals (?:geschickt|gesendet)",
    ),
    Cue.SLIP: (
        r"versehen\w*", r"versehentlich", r"irrtum\w*", r"gegenstandslos", r"stornier\w+", r"entschuldig\w+",
        r"ignorieren", r"vernichten", r"fehler\w*", r"leider",
    ),
    Cue.ONLY_ONE: (r"nur eine", r"nur eine? (?:einzige )?(?:lieferung|sendung|lkw)", r"nur einmal"),
    Cue.ARRIVED: (r"angekommen", r"eingetroffen", r"eingegangen", r"erhalten", r"geliefert worden", r"da\b(?!\w)"),
    Cue.ORDER_NUMBER: (r"bestell-?(?:nummer|nr|ung)\w*", r"auftrags-?(?:nummer|nr)\w*"),
    Cue.ORDERED: (r"bestellt", r"auftrag\b", r"beauftragt", r"angerufen", r"bestellung"),
    Cue.BY_WORD: (r"telefonisch\w*", r"am telefon", r"mundlich\w*", r"per telefon", r"angerufen", r"zuruf"),
    Cue.COMING: (
        r"(?:wird|werden) (?:\w+ ){0,6}(?:geliefert|verschickt|versandt|versendet|zugestellt|nachgeliefert|"
        r"ausgeliefert)",
        r"unterwegs", r"zustellung", r"(?:musste|sollte) (?:\w+ ){0,5}(?:eintreffen|ankommen|da sein)",
        r"lieferung erfolgt", r"nachlieferung", r"trifft (?:\w+ ){0,4}ein\b", r"im zulauf", r"liefern wir",
        r"sendungsnummer",
    ),
    Cue.MOVES: (
        r"gehen (?:\w+ ){0,4}raus", r"gehen? (?:\w+ ){0,4}(?:ab|weg)\b", r"verschickt", r"versandt", r"versendet",
        r"abgeschickt", r"ausgeliefert", r"kommt\b", r"kommen\b", r"geht (?:\w+ )?raus", r"verladen", r"folgt\b",
        r"rausgegangen",
    ),
    Cue.REMAINDER: (r"rest\w*", r"fehlmenge", r"fehlende\w*", r"ausstehende\w*", r"ruckstand\w*"),
    Cue.SOON: (
        r"nachste\w* woche", r"(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag)", r"morgen\b", r"gestern",
        r"heute", r"in kurze", r"ende (?:des|der) (?:monats|woche)", r"in (?:\w+ )?tagen", r"voraussichtlich",
        r"kw ?\d+",
    ),
    Cue.GOODS: (
        r"ware\w*", r"sendung", r"lieferung\w*", r"menge", r"stuck", r"palette\w*", r"teile\b", r"artikel",
        r"spedition", r"paket", r"lkw",
    ),
    Cue.COST: (
        r"\w*kosten", r"\w*preise?n?\b", r"rohstoff\w*", r"energie\w*", r"stahl\w*", r"lohne?\w*", r"material\w*",
        r"hersteller", r"vorlieferant",
    ),
    Cue.ROSE: (
        r"gestiegen\w*", r"steig\w+", r"erhoh\w+", r"anheb\w+", r"angehoben", r"teurer", r"verteuer\w+",
        r"weitergeben", r"hoher\w*",
    ),
    Cue.CHARGE: (
        r"fracht\w*", r"versand\w*", r"verpackung\w*", r"zuschlag\w*", r"gebuhr\w*", r"maut\w*", r"transport\w*",
        r"mindermengen\w*",
    ),
    Cue.CUSTOMARY: (
        r"grundsatzlich", r"immer", r"stets", r"separat", r"gesondert", r"zusatzlich", r"gemass",
        r"laut (?:unseren|preisliste|agb)", r"agb", r"ublich\w*", r"nicht (?:im preis )?enthalten", r"berechnen wir",
        r"extra\b",
    ),
    Cue.BECAUSE: (r"aufgrund", r"wegen", r"daher", r"deshalb", r"weil\b", r"mussten", r"grund\b"),
    Cue.TWO_LOTS: (
        r"zwei (?:getrennte|verschiedene|separate|einzelne)?\w* ?(?:lieferungen|sendungen|teillieferungen|lkw)",
        r"teillieferung\w*", r"je lieferung",
    ),
    Cue.SUBSTITUTED: (
        r"ersatz\w*", r"stattdessen", r"ersetzt", r"anstelle", r"statt\b", r"alternativ\w*", r"gleichwertig\w*",
        r"nachfolge\w*",
    ),
    Cue.OUT_OF_STOCK: (
        r"nicht (?:mehr )?(?:lieferbar|verfugbar|vorratig|auf lager)", r"ausverkauft", r"vergriffen",
        r"lieferengpass\w*", r"kein bestand",
    ),
    Cue.DISCONTINUED: (
        r"nicht mehr (?:hergestellt|produziert|gebaut|gefertigt)", r"eingestellt", r"ausgelaufen", r"auslaufmodell",
        r"abgekundigt",
    ),
    Cue.UPGRADE: (r"hoherwertig\w*", r"besser\w*", r"hochwertiger\w*"),
    Cue.OTHER_REASON: (
        r"wegen", r"aufgrund", r"transportschaden\w*", r"mangel\w*", r"beschadigt", r"da\b", r"weil\b",
    ),
    Cue.ASKS: (
        r"konn(?:en|ten) sie (?:mir|uns|bitte)", r"bitte (?:teilen sie|sagen sie|nennen sie)",
        r"(?:wann|welche\w*|wer|wem|was|wo|wie|warum|um welche)\b.{0,80}\?", r"durfen wir (?:fragen|wissen)",
        r"wurden sie uns",
    ),
    Cue.ATTACHED: (
        r"siehe anhang", r"im anhang", r"anbei", r"anlage\b", r"beigefugt", r"s\. anhang", r"wie besprochen",
        r"siehe unten",
    ),
    Cue.LATER: (
        r"(?:wir|ich) prufen?", r"melden uns", r"melde mich", r"wird gepruft", r"weitergeleitet", r"in klarung",
        r"klaren das", r"kommen auf sie zu",
    ),
    Cue.VAGUE: (r"nicht sicher", r"vielleicht", r"kann sein", r"zur kenntnis", r"weiss nicht genau"),
    Cue.PROMOTION: (
        r"neue produkte", r"\bmesse\b", r"katalog", r"abmelden", r"angebote\b", r"rabatt", r"einladung",
        r"jetzt anmelden", r"umfrage",
    ),
    Cue.REMINDER: (
        r"zahlungserinnerung", r"mahnung", r"fallig\w*", r"begleichen", r"uberweisen sie",
        r"offene\w* (?:betrag|posten|rechnung)", r"zahlungsziel",
    ),
    Cue.NOTICE: (
        r"frohe weihnachten", r"gutes neues jahr", r"betriebsferien", r"geschlossen", r"umgezogen",
        r"neue (?:anschrift|adresse|telefonnummer)", r"abwesend", r"ansprechpartner\w*",
    ),
    Cue.PAPER: (r"rechnung\w*", r"gutschrift", r"antwort", r"kopie", r"zahlung", r"unterlagen"),
    Cue.CREDIT_MEMO: (r"gutschrift\w*", r"gutschreiben"),
    Cue.CORRECTED_INVOICE: (
        r"(?:korrigierte|berichtigte|neue|geanderte) rechnung", r"rechnungskorrektur", r"korrekturrechnung",
        r"rechnung (?:\w+ )?(?:korrigieren|berichtigen|andern)",
    ),
    Cue.REFUND: (r"ruckerstatt\w+", r"erstatten", r"erstattung", r"zuruckzahlen", r"ruckzahlung"),
}
