"""What a whole company's vendors, people and goods are called. Invented."""

import random
from itertools import product

PLACES = (
    "Alder", "Brightwater", "Calder", "Dunmore", "Eastgate", "Fjordline", "Granite Peak", "Harrow Lane", "Inverloch",
    "Juniper", "Kestrel", "Lakeshore", "Marlowe", "Northbank", "Oakhurst", "Pemberton", "Quarry Hill", "Ravensworth",
    "Silverstream", "Thornbury", "Ulverston", "Vale End", "Westmoor", "Yarrow",
)  # fmt: skip
TRADES = (
    "Fasteners", "Industrial Supply", "Metalworks", "Packaging", "Tooling", "Components", "Plastics", "Bearings",
    "Electrical", "Filters", "Adhesives", "Hydraulics", "Safety Gear", "Cable",
)  # fmt: skip
FORMS = ("Ltd", "AG", "GmbH", "Inc.", "& Sons", "SA")
PEOPLE = (
    "Iris Lang", "Owen Pryce", "Mara Duarte", "Tobias Reed", "Selma Aker", "Noel Baptiste", "Hanna Vogt", "Luis Prado",
    "Greta Holm", "Anton Weiss", "Priya Nair", "Caleb Stone", "Yuki Mori", "Elena Rossi", "Samir Haddad", "Nora Quinn",
)  # fmt: skip
ITEMS = (
    ("BOLT-M8", "Hexagon bolt M8 x 40, zinc plated", "EA", 12, 60),
    ("NUT-M8", "Hexagon nut M8, zinc plated", "EA", 4, 20),
    ("BRG-6204", "Deep groove ball bearing 6204", "EA", 380, 920),
    ("SEAL-32", "Shaft seal 32 x 47 x 7", "EA", 210, 640),
    ("HOSE-12", "Hydraulic hose 12 mm", "MTR", 640, 1480),
    ("CABLE-3G15", "Cable 3G1.5, rubber", "MTR", 110, 290),
    ("STEEL-S235", "Flat steel S235 40 x 8", "KGM", 130, 260),
    ("GREASE-2", "Multi-purpose grease, grade 2", "KGM", 720, 1650),
    ("COOLANT", "Cutting fluid concentrate", "LTR", 340, 880),
    ("FILTER-H10", "Air filter H10", "EA", 2400, 8800),
    ("GLOVE-9", "Safety gloves, size 9", "PR", 290, 760),
    ("GOGGLES", "Safety goggles, clear", "EA", 620, 1900),
    ("CARTON-60", "Carton 60 x 40 x 40", "EA", 95, 240),
    ("TAPE-50", "Packing tape 50 mm", "EA", 130, 310),
    ("PALLET", "Pallet, 1200 x 800", "EA", 1200, 2600),
    ("RELAY-24", "Relay 24 V, two poles", "EA", 540, 1720),
    ("SENSOR-M12", "Inductive sensor M12", "EA", 2100, 7400),
    ("DRILL-6", "Drill bit 6 mm, cobalt", "EA", 340, 990),
)  # fmt: skip
MOST_VENDORS = len(PLACES) * len(TRADES)


def vendor_names(rng: random.Random, count: int) -> list[str]:
    """Each once; there are MOST_VENDORS."""
    pairs = [f"{place} {trade}" for place, trade in product(PLACES, TRADES)]
    return [f"{name} {rng.choice(FORMS)}" for name in rng.sample(pairs, k=count)]


def slug(vendor: str) -> str:
    return "".join(letter for letter in vendor.lower() if letter.isascii() and letter.isalnum())
