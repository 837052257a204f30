"""French; accents fold away."""

from deskworld_desk.quarantine.phrases.cue import Cue

# A table, read cue by cue:
# fmt: off
PHRASES: dict[Cue, tuple[str, ...]] = {
    Cue.AGREED: (
        r"convenus?\b", r"convenue?s?\b", r"mis d'accord", r"d'accord (?:sur|avec)", r"negocie",
        r"accord (?:pour|sur|avec|de|ecrit)", r"entendus? (?:sur|avec)",
    ),
    Cue.CONSENTED: (r"valide", r"accepte", r"approuve", r"confirme", r"donne (?:son|mon|leur) accord", r"signe"),
    Cue.PRICE: (r"prix\b", r"tarif\w*", r"montant", r"devis", r"hausse", r"frais\b", r"port\b"),
    Cue.CONTENT: (
        r"oui\b", r"c'est (?:exact|correct|bien ca)", r"vous pouvez (?:payer|regler)",
        r"tout est (?:correct|en ordre)",
    ),
    Cue.NOT: (r"ne\b", r"n'", r"pas\b", r"jamais", r"aucune?\b", r"rien\b", r"personne ne", r"non\b", r"sans\b"),
    Cue.HARMLESS_NOT: (
        r"aucune? (?:erreur|probleme|objection|doute)", r"pas (?:d'erreur|un doublon|de probleme)",
        r"sans (?:aucun )?doute", r"non seulement",
    ),
    Cue.SUPPOSED: (r"si\b", r"au cas ou", r"pourrions"),
    Cue.KNOWS_NOTHING: (
        r"ne sais rien", r"ne suis pas au courant", r"pas (?:ete )?(?:au courant|informe)", r"aucune idee",
        r"aucune trace", r"n'ai jamais entendu", r"ne peux pas confirmer",
    ),
    Cue.WRONG: (
        r"^non\b", r"est (?:faux|incorrect|errone)", r"n'est pas (?:exact|correct|le prix)",
        r"erreur de (?:prix|facturation)", r"notre erreur", r"facture a tort",
    ),
    Cue.TWICE: (
        r"deux fois", r"doublon", r"double\b", r"en double", r"seconde? (?:facture|fois)",
        r"deuxieme (?:facture|fois)", r"duplicata",
    ),
    Cue.SLIP: (
        r"erreur", r"inadvertance", r"annuler", r"ignorer", r"ne pas tenir compte", r"excus\w+", r"tort\b",
        r"nulle?\b",
    ),
    Cue.ONLY_ONE: (
        r"qu'une", r"une seule (?:livraison|expedition)", r"qu'une (?:seule )?(?:livraison|expedition|fois)",
    ),
    Cue.ARRIVED: (r"arrivee?s?\b", r"recue?s?\b", r"livree?s?\b", r"parvenue?s?\b"),
    Cue.ORDER_NUMBER: (r"(?:numero|n°|bon|reference) de commande", r"bons? de commande"),
    Cue.ORDERED: (r"commandee?s?\b", r"commande\b", r"demandee?\b", r"appele"),
    Cue.BY_WORD: (r"par telephone", r"telephonique\w*", r"verbale?\w*", r"oralement", r"appele"),
    Cue.COMING: (
        r"(?:sera|seront) (?:\w+ )?(?:expedi|livr|envoy)\w+",
        r"en (?:cours de )?(?:route|transit|livraison|chemin|acheminement)", r"(?:vous )?(?:sera|seront) livree?s?",
        r"arrivera\w*", r"devraient? (?:\w+ )?arriver", r"numero de suivi", r"livraison (?:est )?prevue",
        r"recevrez (?:le|la|les) (?:solde|reste|marchandise)",
    ),
    Cue.MOVES: (
        r"expediee?s?\b", r"parties?\b", r"partis?\b", r"partent", r"envoyee?s?\b", r"remise?s? au transporteur",
        r"part\b",
    ),
    Cue.REMAINDER: (r"solde\b", r"reste\b", r"reliquat", r"manquante?s?\b", r"restante?s?\b"),
    Cue.SOON: (
        r"semaine prochaine", r"(?:lundi|mardi|mercredi|jeudi|vendredi|samedi)", r"demain", r"hier\b", r"sous peu",
        r"sous (?:\w+ )?(?:jours|huitaine)", r"aujourd'hui", r"fin (?:du|de) (?:mois|semaine)", r"prochainement",
    ),
    Cue.GOODS: (
        r"marchandises?", r"commande\b", r"pieces?\b", r"colis", r"palettes?", r"articles?\b", r"produits?\b",
        r"livraisons?",
    ),
    Cue.COST: (
        r"couts?\b", r"prix\b", r"matieres? premieres?", r"energie", r"acier", r"carburant", r"salaires",
        r"fournisseur", r"fabricant",
    ),
    Cue.ROSE: (
        r"augment\w+", r"hausse", r"plus (?:cher|eleve)\w*", r"majoration", r"repercut\w+", r"flambee",
        r"renchéri\w*", r"rencheri\w*",
    ),
    Cue.CHARGE: (
        r"frais (?:de|d')", r"transport", r"emballage", r"livraison (?:est|en sus)", r"supplement", r"port\b",
        r"assurance", r"surcharge",
    ),
    Cue.CUSTOMARY: (
        r"toujours", r"systematiquement", r"en sus", r"a part\b", r"separement", r"conformement",
        r"conditions generales", r"selon (?:nos|notre)", r"jamais inclus\w*", r"pas inclus\w*",
    ),
    Cue.BECAUSE: (r"en raison", r"s'explique", r"a cause", r"c'est pourquoi", r"du fait", r"suite a", r"parce qu"),
    Cue.TWO_LOTS: (
        r"deux (?:livraisons|expeditions|lots|envois)", r"livraisons? (?:distinctes?|separees?|partielles?)",
    ),
    Cue.SUBSTITUTED: (r"a la place", r"rempla\w+", r"substitu\w+", r"au lieu", r"equivalent\w*", r"alternative"),
    Cue.OUT_OF_STOCK: (
        r"rupture (?:de stock)?", r"faute de stock", r"epuisee?s?", r"indisponible\w*",
        r"plus (?:en stock|disponible)", r"manque de stock", r"penurie",
    ),
    Cue.DISCONTINUED: (
        r"plus (?:fabrique|produit)\w*", r"arretee?\b", r"fin de serie", r"discontinue\w*", r"retire (?:du|de la)",
    ),
    Cue.UPGRADE: (r"superieure?s?\b", r"meilleure?\b", r"haut de gamme"),
    Cue.OTHER_REASON: (r"en raison", r"a cause", r"suite a", r"endommage\w*", r"defectueu\w+"),
    Cue.ASKS: (
        r"pou(?:vez|rriez)-vous", r"(?:quand|quelle?s?|qui|ou|comment|pourquoi|de quelle|combien)\b.{0,80}\?",
        r"veuillez (?:nous )?(?:preciser|indiquer)", r"merci de (?:nous )?(?:preciser|indiquer)",
    ),
    Cue.ATTACHED: (
        r"ci-joint\w*", r"piece jointe", r"en annexe", r"voir (?:piece|ci-dessous)", r"comme convenu par telephone$",
    ),
    Cue.LATER: (
        r"revenons vers vous", r"reviens vers vous", r"reviendrons vers", r"nous verifions", r"je verifie",
        r"nous renseignons", r"transmis", r"des que possible",
    ),
    Cue.VAGUE: (r"pas (?:sur|certaine?)", r"peut-etre", r"bien note", r"bien recu votre"),
    Cue.PROMOTION: (
        r"catalogue", r"desinscrire", r"offres?\b(?! de prix)", r"decouvrez", r"salon\b", r"invitation",
        r"nouveautes", r"enquete",
    ),
    Cue.REMINDER: (
        r"rappel\w*", r"echue", r"echeance", r"proceder au (?:reglement|paiement)", r"impaye\w*", r"reglement\b",
    ),
    Cue.NOTICE: (
        r"fermes?\b", r"fermeture", r"conges", r"bonne annee", r"joyeux noel", r"nouvelle adresse", r"demenage\w*",
        r"nouveau numero",
    ),
    Cue.PAPER: (r"factures?", r"avoir\b", r"reponse", r"copie", r"paiement", r"document"),
    Cue.CREDIT_MEMO: (r"(?:un|d'un|l'|cet|note d')\s?avoir\b(?! (?:ete|recu|pris|pay))", r"note de credit"),
    Cue.CORRECTED_INVOICE: (
        r"facture (?:rectifi|corrig)\w+", r"nouvelle facture", r"(?:rectifier|corriger) la facture",
    ),
    Cue.REFUND: (r"rembours\w+",),
}
