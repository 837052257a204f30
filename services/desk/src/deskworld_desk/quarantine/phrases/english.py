"""English, plain and hurried."""

from deskworld_desk.quarantine.phrases.cue import Cue

# A table, read cue by cue:
# fmt: off
PHRASES: dict[Cue, tuple[str, ...]] = {
    Cue.NOT: (
        r"no\b", r"not\b", r"\w+n't\b", r"cannot\b", r"never", r"nobody", r"no ?one", r"none\b", r"nothing",
        r"neither", r"nor\b", r"without", r"didnt\b", r"dont\b", r"wasnt\b", r"isnt\b", r"havent\b", r"hasnt\b",
        r"refus\w+ to", r"declin\w+ to", r"denied", r"rejected",
    ),
    Cue.HARMLESS_NOT: (
        r"no (?:objections?|doubts?|problem|worries|mistake|error|reason to|change needed)",
        r"not (?:a|an) (?:mistake|error|duplicate|problem|double)", r"not (?:wrong|incorrect|duplicated|double)",
        r"nothing to (?:correct|add|change|complain|object)", r"there is (?:no|not any) (?:mistake|error)",
        r"not only", r"no,? (?:that's|that is|it's|this is) (?:right|correct|fine)", r"without (?:a )?doubt",
        r"why not", r"isn't it", r"not to worry",
    ),
    Cue.OUT_OF_STOCK: (
        r"out of stock", r"sold out", r"(?:had )?none left", r"ran out", r"run out",
        r"(?:not|isn't|wasn't|aren't|weren't|un) ?(?:currently |longer )?(?:available|in stock|on stock)",
        r"no stock", r"unavailable", r"shortage",
        r"(?:could|can)(?:'t|not| not) (?:get|obtain|source|supply|procure)", r"short supply", r"stock-?out",
        r"not have (?:any|enough|it)", r"no longer (?:available|in stock)", r"supply (?:problem|issue|bottleneck)\w*",
        r"stock (?:was|is) exhausted",
    ),
    Cue.DISCONTINUED: (
        r"discontinued", r"no longer (?:made|make[sd]?|produced?s?|produces|manufactur\w+|built)", r"end of life",
        r"obsolete", r"phased out", r"out of production", r"withdrawn from", r"stopped (?:making|producing)",
        r"taken off the (?:range|market|programme)",
    ),
    Cue.UPGRADE: (
        r"upgrad\w+", r"better\b", r"higher (?:grade|quality|spec\w*)", r"superior", r"improved",
        r"newer (?:model|version)", r"premium",
    ),
    Cue.OTHER_REASON: (
        r"because", r"due to", r"owing to", r"failed", r"damage\w*", r"recall\w*",
        r"quality (?:inspection|problem|issue)", r"since\b", r"regulation\w*", r"contaminat\w+", r"defect\w*",
    ),
    Cue.CREDIT_MEMO: (
        r"credit (?:note|memo)s?", r"(?:issue|grant|give|send|offer|raise)s? (?:you |us )?(?:a |the )?credits?\b",
        r"credit (?:you|us|the (?:difference|excess|surplus|amount|balance))",
        r"(?:a|as) credit (?:for|on|of|against)",
    ),
    Cue.CORRECTED_INVOICE: (
        r"(?:corrected|revised|amended|new|replacement|correct|updated|adjusted|rectified) (?:invoice|bill)",
        r"re-?invoice", r"(?:correct|amend|revise|adjust|change|reissue|re-issue) (?:the|our|this) (?:invoice|bill)",
        r"invoice (?:will be|is being) (?:corrected|amended|reissued)",
    ),
    Cue.REFUND: (
        r"refund\w*", r"reimburs\w+", r"pay (?:you |it |the \w+ )?back", r"return the (?:money|amount|difference)",
        r"money back",
    ),
}
