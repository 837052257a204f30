"""Names that situations are told with. Invented; what they look like must not matter to anybody."""

VENDORS = (
    "Alder & Finch Fasteners",
    "Brightwater Industrial Supply",
    "Calder Metalworks",
    "Dunmore Packaging",
    "Eastgate Tooling",
    "Fjordline Components",
    "Granite Peak Hardware",
    "Harrow Lane Plastics",
    "Inverloch Bearings",
    "Juniper Electrical",
    "Kestrel Steel Stockists",
    "Lakeshore Filters",
    "Marlowe Adhesives",
    "Northbank Hydraulics",
    "Oakhurst Safety Gear",
    "Pemberton Cable",
)

VENDOR_PEOPLE = ("Iris Lang", "Owen Pryce", "Mara Duarte", "Tobias Reed", "Selma Aker", "Noel Baptiste")


def slug(vendor: str) -> str:
    return "".join(letter for letter in vendor.lower() if letter.isalnum())
