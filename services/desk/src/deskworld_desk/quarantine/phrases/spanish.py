"""Spanish; accents and tildes fold away."""

from deskworld_desk.quarantine.phrases.cue import Cue

# A table, read cue by cue:
# fmt: off
PHRASES: dict[Cue, tuple[str, ...]] = {
    Cue.NOT: (r"no\b", r"nunca", r"nadie", r"nada", r"ningun\w*", r"sin\b", r"jamas", r"tampoco"),
    Cue.HARMLESS_NOT: (
        r"ningun (?:error|problema|duplicado)", r"no (?:hay|es) (?:ningun |un )?(?:error|duplicado|problema)",
        r"sin duda", r"no solo",
    ),
    Cue.OUT_OF_STOCK: (
        r"agotad[oa]s?", r"sin (?:existencias|stock)", r"no (?:habia|hay|teniamos|disponible)\b",
        r"falta de (?:stock|existencias)", r"no (?:esta|estaba) disponible", r"escasez",
    ),
    Cue.DISCONTINUED: (
        r"descatalogad[oa]", r"descontinuad[oa]", r"(?:ya no|dejo de) se (?:fabrica|produce)",
        r"ya no se (?:fabrica|produce)\w*", r"dej(?:o|aron) de (?:fabricar|producir)\w*",
    ),
    Cue.UPGRADE: (r"superior\b", r"mejor\b", r"gama alta"),
    Cue.OTHER_REASON: (r"debido a", r"a causa de", r"porque", r"danad[oa]", r"defectuos[oa]"),
    Cue.CREDIT_MEMO: (r"notas? de (?:credito|abono)", r"abono\b", r"abonar\w*"),
    Cue.CORRECTED_INVOICE: (
        r"factura (?:corregida|rectificativa|rectificada)", r"nueva factura", r"(?:corregir|rectificar) la factura",
    ),
    Cue.REFUND: (
        r"reembols\w+", r"devolver (?:el|la) (?:dinero|diferencia|importe)", r"devolucion del? (?:dinero|importe)",
    ),
}
