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

ITEMS = {
    "BOLT-M8": ("Hex bolt M8 x 40, zinc plated", "BOLT-M8-A2", "Hex bolt M8 x 40, stainless"),
    "SCREW-M6": ("Cap screw M6 x 25, zinc plated", "SCREW-M6-A4", "Cap screw M6 x 25, stainless"),
    "NUT-M10": ("Hexagon nut M10, zinc plated", "NUT-M10-A2", "Hexagon nut M10, stainless"),
    "WASHER-M12": ("Flat washer M12, zinc plated", "WASHER-M12-A2", "Flat washer M12, stainless"),
    "SEAL-40": ("Shaft seal 40 mm, nitrile", "SEAL-40-V", "Shaft seal 40 mm, fluoro rubber"),
    "ORING-25": ("O-ring 25 x 3, nitrile", "ORING-25-E", "O-ring 25 x 3, ethylene"),
    "BEARING-62": ("Ball bearing 6204, open", "BEARING-62-2Z", "Ball bearing 6204, shielded"),
    "VALVE-15": ("Ball valve 15 mm, brass", "VALVE-15-SS", "Ball valve 15 mm, stainless"),
    "HOSE-12": ("Hydraulic hose 12 mm, one wire", "HOSE-12-2W", "Hydraulic hose 12 mm, two wires"),
    "FILTER-20": ("Intake filter element, 20 micron", "FILTER-20-P", "Intake filter element, pleated"),
    "GASKET-80": ("Flange gasket 80 mm, paper", "GASKET-80-G", "Flange gasket 80 mm, graphite"),
    "PUMP-3": ("Dosing pump 3 l/h", "PUMP-3-D", "Dosing pump 3 l/h, digital"),
    "MOTOR-4P": ("Gear motor, four poles", "MOTOR-4P-IE4", "Gear motor, four poles, high efficiency"),
    "DRIVE-2K": ("Frequency drive 2 kW", "DRIVE-2K-N", "Frequency drive 2 kW, network"),
}
"""Of each item what it is, and which other item a vendor sends in its place."""


def slug(vendor: str) -> str:
    return "".join(letter for letter in vendor.lower() if letter.isalnum())
