"""Who works at the company: the realm's fixed people by role. A conformance test compares this with the realm file."""

PEOPLE: dict[str, tuple[str, ...]] = {
    "buyer": ("anna.keller", "bruno.costa", "carla.nowak", "david.okafor"),
    "clerk": ("emma.lind", "felix.moreau"),
    "ap-manager": ("grace.hall", "hugo.silva"),
    "controller": ("ines.vogel", "jonas.weber"),
    "auditor": ("kira.stone",),
}


def holders(role: str) -> tuple[str, ...]:
    """Raises KeyError for a role that the realm does not have."""
    return PEOPLE[role]
