"""English, plain and hurried."""

from deskworld_desk.quarantine.phrases.cue import Cue

_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MOVE = r"(?:ship|dispatch|despatch|deliver|send|arrive|leave|follow|come|go out|bring|unload|collect)"
_MOVED = r"(?:shipped|dispatched|despatched|sent out|sent off|delivered|collected|picked up|loaded|handed (?:over )?to)"
_REST = (
    r"(?:rest|remain(?:der|ing)|balance|outstanding|missing|other \d+|second half|back ?-?orders?|open quantity|"
    r"short\w* quantity)"
)

# A table, read cue by cue:
# fmt: off
PHRASES: dict[Cue, tuple[str, ...]] = {
    Cue.AGREED: (
        r"settled (?:this|it|that)", r"(?:price|rate) was (?:set|fixed)", r"on that basis",
        r"fixed (?:the|a|at|on|it|this|that)\b", r"(?:price|rate|figure)s? (?:we|was|were) fixed",
        r"(?:i|we)(?: was| were| am| are|'m|'re) (?:fine|ok|okay|happy|content|good) with",
        r"(?:is|was|are|were) (?:fine|ok|okay|alright|acceptable) (?:with|by|for|to) (?:me|us|him|her)",
        r"(?:have|got|had|has) (?:it|this|that|\w+ \w+) in writing", r"in agreement",
        r"discussed and (?:accepted|agreed|confirmed|approved)",
        r"accepted by (?:your|the) (?:office|buyer|purchas\w+|side|company|team|department)", r"agreed",
        r"(?<!could )(?<!would )(?<!can )(?<!cannot )(?<!to )agree\b(?! to disagree)",
        r"settled (?:on|with|between|at|for|by)", r"(?:was|were|been|is|got) settled",
        r"arranged (?:with|by|between|in|before)", r"negotiated", r"the deal (?:was|is)\b", r"was the deal",
        r"(?:mutual|prior|written|verbal|oral) (?:agreement|arrangement|understanding|consent|confirmation)",
        r"such an? (?:agreement|arrangement)", r"struck a deal", r"shook hands on", r"came to terms",
    ),
    Cue.CONSENTED: (
        r"accepted", r"approved", r"approval", r"confirmed", r"confirmation", r"consent\w*", r"ok'?d\b", r"okayed",
        r"signed(?: it)?(?: off)?", r"green light", r"said (?:ok|yes|it was (?:ok|fine))",
        r"gave (?:his|her|their|us|me) (?:ok|consent|approval|word)", r"authori[sz]ed?", r"ratified", r"acknowledged",
        r"endorsed",
    ),
    Cue.PRICE: (
        r"prices?\b", r"priced\b", r"unit price", r"rates?\b", r"tariffs?\b", r"quot(?:e|es|ation|ed)\b", r"offer\b",
        r"amount\b", r"figures?\b", r"increase\w*", r"freight", r"shipping", r"carriage", r"surcharge", r"charges?\b",
        r"cost\b", r"terms\b", r"change order", r"variation order", r"\d+[.,]\d\d\b", r"[$€£]\s?\d",
        r"(?:usd|eur|gbp) ?\d",
    ),
    Cue.CONTENT: (
        r"(?:fine|ok|okay|happy|good) with",
        r"(?:fine|ok|okay|good|happy|clear|free) (?:to|for) (?:pay|me|us|payment)", r"go ahead",
        r"(?:can|may|should) be paid as", r"all good",
        r"(?:that|this|it|price)(?:'?s| is| was)? (?:right|correct|fine|ok|okay|in order|as (?:agreed|discussed))",
        r"no objections?", r"(?:is|are) (?:right|correct|in order|accurate|fine)\b",
        r"^(?:yes|yep|yeah|correct|confirmed|agreed|right|exactly|indeed|absolutely)\b",
        r"nothing to (?:correct|add|change)", r"reflects this", r"pay it\b", r"as it stands",
    ),
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
    Cue.SUPPOSED: (
        r"if\b", r"whether", r"unless", r"should you", r"would (?:have )?agree", r"could (?:have )?agree",
        r"might have", r"in case",
    ),
    Cue.KNOWS_NOTHING: (
        r"(?:i|we|they) ha(?:d|ve|s) nothing to do with", r"knows? nothing", r"know anything", r"never heard",
        r"no idea", r"not aware", r"unaware", r"no (?:record|knowledge|trace|memory|recollection)",
        r"(?:can|could)(?:'t|not| not) (?:confirm|recall|remember|trace|find any)",
        r"(?:don't|do not|dont) (?:recall|remember|recogni[sz]e|know (?:about|of|who|what))",
        r"nothing (?:about|of) (?:it|that|this)", r"(?:was|were)(?:n't| not)? (?:not )?told", r"news to (?:me|us)",
        r"unable to confirm", r"(?:isn't|is not|aren't|not) ours\b", r"not (?:mine|from us)", r"means nothing to",
    ),
    Cue.WRONG: (
        r"(?:sent|issued|created|generated|uploaded|mailed) (?:\w+ ){0,3}twice", r"(?:are|is) the same invoice",
        r"cancel(?:l)?ed by us", r"(?:meant|intended) for (?:another|a different|somebody|someone)", r"it was not us",
        r"(?:ignore|disregard|cancel|void|discard|do not pay|don't pay) (?:that|this|the|our|it|the second|"
        r"both)\b.{0,20}(?:invoice|bill|copy|one|it)\b",
        r"wrong customer", r"mix-?up", r"not sold", r"never (?:asked|sold|supplied|ordered)",
        r"(?:won't|will not|wont|can't|cannot|can not|do not|don't|dont|refuse to|not going to|"
        r"not willing to) (?:\w+ )?(?:accept|agree|pay|approve|recogni[sz]e|settle|authori[sz]e)",
        r"(?:that|this|it|which|price|invoice|bill)(?:'?s| is| was| are)? (?:wrong|incorrect|not (?:right|correct|"
        r"true|what))",
        r"not (?:right|correct|true)\b",
        r"(?:error|mistake) (?:in|on|with) (?:the |our )?(?:pric|invoic|bill|calculat)",
        r"(?:made|was|is) (?:a|an|our) (?:pricing |billing )?(?:error|mistake)",
        r"(?:invoiced|billed|charged|issued|sent|created) (?:in error|by mistake|by accident|wrongly|mistakenly|"
        r"erroneously)",
        r"overcharged", r"overbilled", r"(?:is|was|are) incorrect", r"our (?:mistake|error|fault)", r"definitely not",
        r"^no\b[.,!]?", r"^nope\b", r"not what (?:we|i|was)", r"dispute\b", r"(?:pric|bill)ing error",
    ),
    Cue.TWICE: (
        r"second one", r"(?:two|2) (?:identical )?invoices", r"a second time", r"twice", r"two times", r"double\b",
        r"duplicate\w*", r"second (?:copy|time|document|invoice|bill)", r"(?:later|other|extra) (?:one|copy|invoice)",
        r"same (?:invoice|bill)", r"sent (?:it )?again", r"once more",
    ),
    Cue.SLIP: (
        r"excuse", r"only need to pay (?:one|the)", r"inconvenience", r"mistake\w*", r"in error", r"error\b",
        r"by accident", r"accidental\w*", r"inadvertent\w*", r"disregard", r"ignore", r"void\b", r"cancel\w*",
        r"sorry", r"apolog\w+", r"should (?:not|never) have", r"discard", r"withdraw\w*", r"destroy", r"tear up",
        r"glitch", r"reject\b",
    ),
    Cue.ONLY_ONE: (
        r"(?:just|only) (?:the )?(?:one|1|a single)\b",
        r"(?:got|received|had|delivered|came|arrived)\b.{0,30}\bonce\b", r"only (?:one|a single|1|had one|ever one)",
        r"just (?:one|a single|1)",
        r"(?:one|a single) (?:delivery|shipment|lorry|truck|consignment|pallet)\b.{0,20}\bnot two", r"not two\b",
        r"(?:one|single) delivery (?:only|came|arrived)",
    ),
    Cue.ARRIVED: (
        r"arriv\w+", r"receiv\w+", r"turned up", r"shown up", r"showed up", r"c[ao]me\b", r"come in\b",
        r"got (?:here|any|the)", r"delivered", r"seen (?:nothing|any)", r"reached us", r"booked in", r"here yet",
    ),
    Cue.ORDER_NUMBER: (
        r"(?:order|po|p\.o\.|purchase order|reference) ?(?:no\b|number|ref)", r"purchase orders?\b", r"\bpo\b",
        r"order reference", r"written order", r"formal order",
    ),
    Cue.ORDERED: (
        r"(?<!the )(?<!our )(?<!your )(?<!an )(?<!this )(?<!that )order(?:ed)?\b", r"called", r"rang\b", r"phoned",
        r"asked (?:for|us)", r"request(?:ed)?\b", r"wanted", r"commissioned", r"placed",
    ),
    Cue.BY_WORD: (
        r"(?:tele)?phoned\b", r"telephone order", r"by (?:tele)?phone", r"(?:over|on) the (?:tele)?phone",
        r"phone order", r"(?:tele)?phoned (?:us|our|in|it)", r"verbal(?:ly)?", r"orally", r"by word of mouth",
        r"(?:rang|called) (?:us|our|the office|in)", r"phone call", r"in person", r"at the counter", r"on site",
    ),
    Cue.COMING: (
        r"(?:is|are) (?:planned|foreseen|booked) for", r"will be (?:sent|brought)", r"should be there",
        r"any day now", r"look out for", r"(?:is|are|be) due (?:next|on|in|by|this|at)",
        r"will be (?:here|there|with you|at your)",
        r"(?:scheduled|due|expected|planned|going|set|about|supposed) to (?:be )?(?:ship|deliver|arrive|leave|"
        r"follow|come|go)\w*",
        rf"(?:will|shall|'ll) (?:be )?(?:\w+ )?{_MOVE}\w*\b(?! (?:a|the|our|you|to|my|back|an|your) (?:credit|"
        r"invoice|corrected|copy|answer|you as|revised|reply|new))",
        r"(?:is|are|'s) (?:now |already |still )?(?:on (?:its|the|their) way|in transit|en route|underway|"
        r"being (?:shipped|packed|loaded|produced)|in production)",
        r"on (?:its|the|their) way", r"in transit", r"back ?-?order\w*", r"tracking (?:number|no|code)",
        r"you(?:'ll| will| should| can| shall) (?:get|have|receive|expect) (?:them|it|the (?:rest|goods|remain\w+|"
        r"outstanding|missing|balance|other))",
        r"(?:expected|estimated|due) (?:\w+ )?(?:to arrive|arrival|delivery|on|in|by)",
        r"arrival (?:is )?(?:expected|due)", r"(?:is|are) scheduled for", r"eta\b",
        r"(?:being|is|are) delivered (?:on|next|this|tomorrow)",
        r"promised (?:me |us )?to (?:bring|deliver|send|ship)", r"should (?:be with|reach|arrive|have them|get)",
        r"we deliver (?:straight|right|immediately|as soon)",
    ),
    Cue.MOVES: (
        rf"{_MOVED}", r"ship(?:s|ping)?\b", r"leaves?\b", r"left (?:our|the|yesterday|on|this|us|here)", r"goes out",
        r"going out", r"went out", r"comes?\b", r"coming\b", r"follows?\b", r"arrives?\b", r"despatch(?:es)?\b",
        r"dispatch(?:es)?\b", r"delivers?\b",
    ),
    Cue.REMAINDER: (_REST,),
    Cue.SOON: (
        rf"(?:on|next|this|by|last|until)? ?{_DAY}", r"tomorrow", r"yesterday", r"next (?:week|month)",
        r"this (?:week|morning|afternoon|month)", r"shortly", r"soon\b", r"within (?:\w+ )?(?:days|weeks?)",
        r"in (?:about |around )?(?:\w+ )?(?:days|weeks)", r"end of (?:the )?(?:month|week)",
        r"on the \d+(?:st|nd|rd|th)", r"(?:the|by) \d+(?:st|nd|rd|th)", r"working days", r"today", r"week \d+",
        r"half of the month", r"early (?:next|in)",
    ),
    Cue.GOODS: (
        r"goods", r"pieces?\b", r"pcs\b", r"units?\b", r"boxes", r"pallets?", r"parts?\b", r"items?\b",
        r"consignment", r"shipment", r"parcel", r"truck", r"lorry", r"container", r"material\w*", r"deliver(?:y|ies)",
        r"order\b", r"quantit(?:y|ies)", r"products?\b", r"load\b", r"stock\b", r"haulier", r"carrier", r"driver",
        r"warehouse", r"depot",
    ),
    Cue.COST: (
        r"difference", r"delivery on", r"saturday", r"weekend", r"imported", r"prices?\b", r"costs?\b", r"wages?",
        r"fuel", r"steel", r"copper", r"alumini?um", r"timber", r"alloy", r"energy", r"raw materials?",
        r"freight rates?", r"exchange rate", r"supplier", r"manufacturer", r"mill\b", r"list prices?", r"electricity",
        r"gas\b", r"resin", r"zinc", r"labou?r", r"diesel", r"tariffs?\b", r"duties", r"paper\b", r"plastics?",
    ),
    Cue.ROSE: (
        r"(?:is|are|was|were) up\b", r"hand(?:ed)? (?:\w+ )?on to", r"costs extra",
        r"(?:price|prices|price list|rates?) (?:list )?(?:was |were |has |have )?(?:changed|adjusted|revised)",
        r"more than (?:before|last)", r"explod\w+", r"sky-?rocket\w*", r"shot up", r"spiked", r"lifted",
        r"raise[ds]?\b", r"r[io]se[ns]?\b", r"rising", r"increas\w+",
        r"(?:gone|went|go|going|put|putting|pushed|been) (?:\w+ )?(?:\w+ )?up\b", r"climb\w*", r"higher",
        r"more expensive", r"dear(?:er)?\b(?! (?:sir|mad|cust|coll|team|acc|mr|ms|all|part))", r"doubled", r"tripled",
        r"through the roof", r"soar\w*", r"surg(?:e|ed|ing)", r"inflation", r"jump(?:ed)?\b", r"pass (?:\w+ )?on",
        r"absorb", r"price adjustment", r"price clause",
    ),
    Cue.CHARGE: (
        r"freight", r"carriage", r"shipping", r"delivery (?:is|charge|fee|cost)", r"postage", r"packag\w+",
        r"packing", r"insurance", r"surcharge", r"fees?\b", r"handling", r"pallets? (?:are|is)", r"crane", r"customs",
        r"toll", r"extra (?:line|charge|cost|item)", r"additional (?:line|charge|cost|item)", r"express",
        r"minimum order", r"small.order", r"deposit", r"charges?\b",
    ),
    Cue.CUSTOMARY: (
        r"on (?:every|all|each) (?:shipments?|deliver\w+|orders?)", r"always", r"standard", r"usual\w*",
        r"separate\w*", r"in addition", r"extra\b", r"never included", r"not included", r"(?:is|are)n't included",
        r"on top\b", r"as (?:per|stated|set out|laid down)", r"according to",
        r"terms of (?:sale|business|delivery|trade|trading)", r"(?:general|our|standard|sales) (?:terms|conditions)",
        r"price list", r"on every (?:invoice|bill|order|shipment)", r"all (?:shipments|orders|deliveries)",
        r"covers?\b", r"is for\b", r"carries\b", r"require[sd]?\b", r"incoterm\w*", r"ex works", r"regular\w*",
        r"was needed", r"requested",
    ),
    Cue.BECAUSE: (
        r"(?:difference|surplus|excess|increase) (?:comes|came|results|stems|arises)", r"because", r"due to",
        r"owing to", r"that is why", r"that's why", r"hence", r"reasons?\b", r"since (?!your|the \w+ order)",
        r"therefore", r"explains?", r"which the invoice", r"had to", r"on account of", r"as a result",
    ),
    Cue.TWO_LOTS: (
        r"both (?:invoices|bills|deliveries|shipments)", r"another \d+ (?:\w+ )?in the (?:second|third)",
        r"there (?:are|were) (?:two|2) (?:invoices|bills)", r"(?:its|their|an?) own (?:invoice|bill)",
        r"(?:two|2|three|3|separate|different|several) (?:\w+ )?(?:deliver\w+|shipments?|consignments?|loads?|"
        r"lots?|trucks?|lorries|batches|partial\w*|call-offs?|drops?)",
        r"(?:first|this|one|second|other|the \w+) (?:one |invoice |bill )?(?:is for|covers?|relates to|belongs to|"
        r"concerns?) (?:the )?(?:\w+ )?(?:deliver\w+|shipment|truck|load|consignment|batch|lot)",
        r"(?:in|on) (?:two|2|three|different) (?:lots|batches|parts|days|dates|instal\w+)",
        r"(?:two|2) (?:\w+ ){0,3}(?:two|2) (?:invoices|bills)",
        r"one (?:invoice|bill) (?:per|for each) (?:deliver\w+|shipment)",
    ),
    Cue.SUBSTITUTED: (
        r"rather than", r"follow-up model", r"substitut\w+", r"replac\w+", r"instead\b",
        r"in (?:its|their) (?:place|stead)", r"in place of", r"alternative", r"equivalent", r"successor",
        r"in exchange for", r"upgraded?", r"swapped", r"switched (?:to|you)", r"which is why you (?:got|received)",
        r"took the liberty", r"comparable", r"better (?:model|machine|version|quality|grade)",
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
    Cue.ASKS: (
        r"(?:could|can|would|will|may|might) (?:you|u|we|i) (?:please |kindly |perhaps )?(?:ask|tell|let|send|give|"
        r"name|specify|clarify|explain|confirm|provide|advise|inform|mind|check|say|have)",
        r"(?:please|pls|kindly) (?:tell|let) (?:us|me) (?:know )?(?:which|who|what|when|where|why|how|whether|if|"
        r"to whom)",
        r"(?:we|i) (?:need|require) (?:to know|the (?:order|po) number from|more information|further information|"
        r"the order number|your)",
        r"could you let (?:us|me) have", r"would you tell", r"^(?:which|who|what|when|where|why|how|whom|to whom)\b",
        r"please (?:clarify|specify|explain|advise which)", r"do you (?:want|need|have|mean|know)",
    ),
    Cue.ATTACHED: (
        r"attached", r"attachment", r"enclosed", r"see below", r"as below", r"enclosure",
        r"refer to the (?:enclosed|document)", r"as discussed", r"see (?:my|our) (?:mail|previous|earlier|last)",
        r"as per below",
    ),
    Cue.LATER: (
        r"(?:will|shall|'ll) pass (?:this|it|your)", r"call me", r"in the pdf", r"(?:get|come|report) back to you",
        r"revert\b", r"looking into", r"look into", r"let me check", r"(?:have|need|will|must|going) to check",
        r"(?:we|i)(?:'ll| will| shall) (?:check|investigate|respond|reply|answer|clarify|ask)", r"forwarded",
        r"passed (?:it |this |your \w+ )?(?:on|along)", r"(?:will|shall) answer", r"under review",
        r"being (?:checked|reviewed|looked)", r"only look at it", r"investigating", r"asked my colleague",
        r"bear with",
    ),
    Cue.VAGUE: (
        r"not (?:quite |entirely )?(?:sure|certain)", r"yes and no", r"it depends", r"could be", r"maybe", r"perhaps",
        r"some talk", r"hard to say", r"i (?:think|guess|believe) (?:so|there)", r"noted\b", r"received with thanks",
        r"^(?:thanks|thank you|ok|okay|thx)[ .!,]*(?:noted)?[ .!,]*(?:thanks|thank you)?[ .!]*$",
    ),
    Cue.PROMOTION: (
        r"showroom", r"come and see", r"visit us", r"catalogue", r"newsletter", r"unsubscribe", r"discover\b",
        r"save up to", r"special offers?", r"new products?", r"webinar", r"booth", r"(?:trade )?fair\b",
        r"exhibition", r"register (?:today|now)", r"voucher", r"discount code", r"survey", r"rate your",
        r"how did we do", r"latest range", r"certified", r"pleased to announce", r"invitation", r"join us",
        r"click here", r"free trial", r"follow us", r"open day", r"promotion",
    ),
    Cue.REMINDER: (
        r"reminder", r"overdue", r"past due", r"(?:fell|is|was|falls) due", r"please pay\b",
        r"(?:arrange|awaiting|prompt|effect|make) (?:the )?payment", r"settlement",
        r"pay (?:the|our|this) invoice within", r"statement of account", r"open items?\b",
        r"outstanding (?:amount|invoice|balance of)", r"(?:remit|settle) (?:the|this|our)", r"dunning",
        r"payment terms",
    ),
    Cue.NOTICE: (
        r"season'?s greetings", r"merry christmas", r"happy (?:holidays|new year|easter)",
        r"(?:office|offices|we)(?:'re| are| will be)? closed", r"on (?:annual )?leave", r"on holiday", r"have moved",
        r"new (?:postal |office |delivery )?address", r"new (?:tele)?phone number", r"new contact", r"has retired",
        r"successor is m", r"condolences", r"congratulations", r"welcome on board", r"welcome to",
        r"thank you for taking part", r"out of (?:the )?office", r"opening hours", r"trade account", r"certified to",
    ),
    Cue.PAPER: (
        r"invoice", r"bill\b", r"credit (?:note|memo)", r"reply", r"answer", r"response", r"copy", r"document",
        r"statement", r"payment", r"mail\b", r"quotation",
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
