"""French; accents fold away."""

from deskworld_desk.quarantine.phrases.cue import Cue

# A table, read cue by cue:
# fmt: off
PHRASES: dict[Cue, tuple[str, ...]] = {
    Cue.NOT: (r"ne\b", r"n'", r"pas\b", r"jamais", r"aucune?\b", r"rien\b", r"personne ne", r"non\b", r"sans\b"),
    Cue.HARMLESS_NOT: (
        r"aucune? (?:erreur|probleme|objection|doute)", r"pas (?:d'erreur|un doublon|de probleme)",
        r"sans (?:aucun )?doute", r"non seulement",
    ),
    Cue.OUT_OF_STOCK: (
        r"rupture (?:de stock)?", r"faute de stock", r"epuisee?s?", r"indisponible\w*",
        r"plus (?:en stock|disponible)", r"manque de stock", r"penurie",
    ),
    Cue.DISCONTINUED: (
        r"plus (?:fabrique|produit)\w*", r"arretee?\b", r"fin de serie", r"discontinue\w*", r"retire (?:du|de la)",
    ),
    Cue.UPGRADE: (r"superieure?s?\b", r"meilleure?\b", r"haut de gamme"),
    Cue.OTHER_REASON: (r"en raison", r"a cause", r"suite a", r"endommage\w*", r"defectueu\w+"),
    Cue.CREDIT_MEMO: (r"(?:un|d'un|l'|cet|note d')\s?avoir\b(?! (?:ete|recu|pris|pay))", r"note de credit"),
    Cue.CORRECTED_INVOICE: (
        r"facture (?:rectifi|corrig)\w+", r"nouvelle facture", r"(?:rectifier|corriger) la facture",
    ),
    Cue.REFUND: (r"rembours\w+",),
}
