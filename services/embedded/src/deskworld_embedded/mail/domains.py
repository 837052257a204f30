"""Who lives where: which mailbox an address belongs to, and from which addresses a login may send."""

DESK, STAFF, COUNTERPARTIES = "desk", "staff", "counterparties"

HOMES = {"deskworld.example": DESK, "staff.deskworld.example": STAFF}
CATCH_ALLS = ("vendors.deskworld.example", "outside.example")


def mailbox_of(address: str) -> str | None:
    """The login whose mailbox takes this address; None when it is not of the world. Any local part is somebody."""
    local, at, domain = address.rpartition("@")
    if not at or not local:
        return None
    domain = domain.lower()
    if domain in HOMES:
        return HOMES[domain]
    if any(domain == parent or domain.endswith(f".{parent}") for parent in CATCH_ALLS):
        return COUNTERPARTIES
    return None


def may_send(login: str, address: str) -> bool:
    """A login sends from the addresses that it receives, and never as nobody."""
    return mailbox_of(address) == login
