"""Plain words for reason codes. The desk's own words: the ERP's summary may quote what a vendor wrote."""

SUMMARIES = {
    "DUPLICATE": "An earlier invoice of this vendor has the same number.",
    "POSSIBLE_DUPLICATE": "An earlier invoice of this vendor looks like the same one.",
    "VENDOR_BANK_CHANGED": "A change of the vendor's bank account is not verified.",
    "NO_PO": "The invoice names no order that exists for this vendor.",
    "CURRENCY_MISMATCH": "Invoice and order are in different currencies.",
    "UOM_MISMATCH": "A line is billed in a unit that cannot be converted to the order's.",
    "ITEM_SUBSTITUTED": "A line bills another item than the one that was ordered.",
    "PRICE_VARIANCE": "A line is billed above its order price.",
    "NO_RECEIPT": "Nothing of a billed line was accepted.",
    "QTY_OVER_RECEIPT": "More is billed than was accepted or ordered.",
    "UNPLANNED_CHARGE": "A charge is billed that was not ordered.",
    "DOCUMENT_ARITHMETIC": "The invoice does not add up.",
}


def summary(reason: str) -> str:
    return SUMMARIES.get(reason, "The match found something that is not right.")
