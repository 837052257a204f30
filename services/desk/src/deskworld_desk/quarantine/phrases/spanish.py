"""Spanish; accents and tildes fold away."""

from deskworld_desk.quarantine.phrases.cue import Cue

# A table, read cue by cue:
# fmt: off
PHRASES: dict[Cue, tuple[str, ...]] = {
    Cue.AGREED: (
        r"acord(?:ado|ada|amos|aron|e|o)\b", r"pact(?:ado|ada|amos|aron|e|o)\b", r"convenid[oa]s?\b", r"convinimos",
        r"de acuerdo (?:con|en)", r"negoci(?:ado|amos)", r"acuerdo (?:con|previo|por)",
    ),
    Cue.CONSENTED: (
        r"aprob(?:ado|ada|o)\b", r"acept(?:ado|ada|o)\b", r"confirm(?:ado|ada|o)\b", r"autoriz(?:ado|o)\b",
        r"firm(?:ado|o)\b", r"dio (?:su )?(?:visto bueno|conformidad)",
    ),
    Cue.PRICE: (
        r"precios?\b", r"tarifas?\b", r"importe", r"cotizacion", r"oferta\b", r"flete", r"portes", r"aumento",
        r"recargo",
    ),
    Cue.CONTENT: (r"si\b,", r"es correcto", r"pueden pagar", r"todo (?:correcto|en orden)", r"asi es"),
    Cue.NOT: (r"no\b", r"nunca", r"nadie", r"nada", r"ningun\w*", r"sin\b", r"jamas", r"tampoco"),
    Cue.HARMLESS_NOT: (
        r"ningun (?:error|problema|duplicado)", r"no (?:hay|es) (?:ningun |un )?(?:error|duplicado|problema)",
        r"sin duda", r"no solo",
    ),
    Cue.SUPPOSED: (r"si (?:el|la|los|usted|ustedes|hubiera|fuera)", r"en caso de", r"podriamos"),
    Cue.KNOWS_NOTHING: (
        r"no se nada", r"no sabemos nada", r"no (?:me |nos )?consta", r"no tengo (?:constancia|conocimiento|idea)",
        r"ni idea", r"desconozco", r"no puedo confirmar",
    ),
    Cue.WRONG: (
        r"^no\b,", r"no es (?:correcto|cierto|asi)", r"es (?:incorrecto|erroneo)",
        r"error (?:de|en) (?:el |la )?(?:precio|factura\w*)", r"facturad[oa] por error", r"nuestro error",
    ),
    Cue.TWICE: (r"dos veces", r"duplicad[oa]", r"doble\b", r"por duplicado", r"segunda (?:factura|copia)"),
    Cue.SLIP: (r"por error", r"error\b", r"equivocacion", r"anul\w+", r"disculp\w+", r"ignor\w+", r"descart\w+"),
    Cue.ONLY_ONE: (
        r"solo llego", r"(?:solo|solamente|unicamente) (?:\w+ )?(?:una|un)\b", r"una sola (?:entrega|vez)",
    ),
    Cue.ARRIVED: (r"llegad[oa]", r"llego\b", r"recibid[oa]", r"recibimos", r"recibio", r"entregad[oa]"),
    Cue.ORDER_NUMBER: (r"(?:numero|orden) de (?:pedido|compra)", r"ordenes de compra", r"n° de pedido"),
    Cue.ORDERED: (r"pedid[oa]\b", r"pidi\w+", r"encarg\w+", r"solicit\w+", r"llam(?:o|aron)"),
    Cue.BY_WORD: (r"por telefono", r"telefonic\w+", r"verbal\w*", r"de palabra", r"llam(?:o|aron)"),
    Cue.COMING: (
        r"se (?:enviar|entregar|despachar)a\w*", r"(?:sera|seran) (?:enviad|entregad|despachad)\w+",
        r"en (?:camino|transito|reparto)", r"llegara\w*", r"deberia\w* llegar", r"enviaremos", r"entregaremos",
        r"numero de seguimiento", r"pendiente de (?:envio|entrega)",
    ),
    Cue.MOVES: (
        r"llega\w*\b", r"salio\b", r"salieron", r"sale\b", r"enviad[oa]s?\b", r"despachad[oa]s?\b", r"envio\b",
        r"salen\b",
    ),
    Cue.REMAINDER: (r"resto\b", r"restantes?", r"pendientes?\b", r"faltantes?", r"que falta\w*"),
    Cue.SOON: (
        r"proxima semana", r"semana que viene", r"(?:lunes|martes|miercoles|jueves|viernes|sabado)", r"manana\b",
        r"ayer", r"hoy\b", r"en (?:\w+ )?dias", r"fin de (?:mes|semana)", r"pronto", r"en breve",
    ),
    Cue.GOODS: (
        r"mercancias?", r"mercaderia", r"pedido\b", r"piezas?", r"unidades", r"palets?", r"articulos?", r"entregas?",
        r"envio", r"material\b",
    ),
    Cue.COST: (
        r"costos?\b", r"costes?\b", r"precios?\b", r"materias? primas?", r"acero", r"energia", r"combustible",
        r"salarios", r"proveedor", r"fabricante",
    ),
    Cue.ROSE: (
        r"sub(?:ido|io|ieron|ida|e)\b", r"aument\w+", r"incremento\w*", r"mas (?:car|alt)[oa]s?", r"encarec\w+",
        r"alza\b", r"repercutir",
    ),
    Cue.CHARGE: (
        r"flete", r"portes", r"transporte", r"embalaje", r"recargo", r"envio (?:se|es)", r"seguro\b", r"gastos de",
    ),
    Cue.CUSTOMARY: (
        r"siempre", r"aparte", r"por separado", r"adicional\w*", r"segun (?:nuestr\w+|las|los)",
        r"condiciones (?:generales|de venta)", r"no (?:esta )?incluid[oa]",
    ),
    Cue.BECAUSE: (r"debido a", r"por eso", r"por lo que", r"a causa de", r"porque", r"razon\b"),
    Cue.TWO_LOTS: (
        r"dos (?:entregas|envios|camiones|remesas|lotes)", r"entregas? (?:distintas?|separadas?|parciales?)",
    ),
    Cue.SUBSTITUTED: (
        r"en (?:su|lugar|vez)(?: lugar| de)?", r"sustitu\w+", r"reemplaz\w+", r"alternativ\w+", r"equivalente",
        r"a cambio",
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
    Cue.ASKS: (
        r"(?:podria|pueden?|podrian)n? (?:usted |ustedes )?(?:indicar|decir|enviar|aclarar|confirmar)\w*",
        r"(?:quien|cual|cuando|que|donde|como|por que|cuanto)\b.{0,80}\?", r"les rogamos nos indiquen",
        r"necesitamos saber",
    ),
    Cue.ATTACHED: (r"adjunt\w+", r"ver (?:adjunto|anexo)", r"anexo\b"),
    Cue.LATER: (
        r"(?:lo )?estamos revisando", r"les? (?:contestar|respond|informar)\w+", r"nos pondremos en contacto",
        r"lo (?:verificar|revisar)\w+", r"reenviad[oa]",
    ),
    Cue.VAGUE: (r"no estoy segur[oa]", r"quiza\w*", r"tal vez", r"tomamos nota", r"recibido,? gracias"),
    Cue.PROMOTION: (
        r"boletin", r"novedades", r"ofertas\b", r"catalogo", r"ferias?\b", r"darse de baja", r"encuesta",
        r"invitacion",
    ),
    Cue.REMINDER: (
        r"recordatorio", r"vencid[oa]", r"rogamos (?:el )?pago", r"pago pendiente", r"factura pendiente",
        r"proceder al pago",
    ),
    Cue.NOTICE: (
        r"cerrad[oa]", r"vacaciones", r"feliz (?:navidad|ano)", r"nueva direccion", r"nuevo telefono",
        r"nos hemos mudado",
    ),
    Cue.PAPER: (r"facturas?", r"abono\b", r"nota de credito", r"respuesta", r"copia", r"pago\b", r"documento"),
    Cue.CREDIT_MEMO: (r"notas? de (?:credito|abono)", r"abono\b", r"abonar\w*"),
    Cue.CORRECTED_INVOICE: (
        r"factura (?:corregida|rectificativa|rectificada)", r"nueva factura", r"(?:corregir|rectificar) la factura",
    ),
    Cue.REFUND: (
        r"reembols\w+", r"devolver (?:el|la) (?:dinero|diferencia|importe)", r"devolucion del? (?:dinero|importe)",
    ),
}
