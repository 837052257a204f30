"""German; umlauts fold to their plain letter, sharp s to ss."""

from deskworld_desk.quarantine.phrases.cue import Cue

# A table, read cue by cue:
# fmt: off
PHRASES: dict[Cue, tuple[str, ...]] = {
    Cue.NOT: (r"nicht", r"kein\w*", r"nie\b", r"niemals", r"niemand\w*", r"nichts", r"weder", r"nein\b", r"ohne\b"),
    Cue.HARMLESS_NOT: (
        r"kein (?:fehler|problem|irrtum|duplikat|zweifel)", r"keine (?:einwande|doppelte|dublette)", r"nicht nur",
        r"nichts einzuwenden",
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
    Cue.CREDIT_MEMO: (r"gutschrift\w*", r"gutschreiben"),
    Cue.CORRECTED_INVOICE: (
        r"(?:korrigierte|berichtigte|neue|geanderte) rechnung", r"rechnungskorrektur", r"korrekturrechnung",
        r"rechnung (?:\w+ )?(?:korrigieren|berichtigen|andern)",
    ),
    Cue.REFUND: (r"ruckerstatt\w+", r"erstatten", r"erstattung", r"zuruckzahlen", r"ruckzahlung"),
}
