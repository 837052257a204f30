"""Who and what a case calls things. All drawn, but what must be unique in a stack, which carries the tag. Pure."""

import hashlib
import uuid
from dataclasses import dataclass
from datetime import date, timedelta

from deskworld.values.draws import Draws
from deskworld.values.realm import holders
from deskworld.worlds.ap import names

NAMESPACE = uuid.UUID("6f6b7c3e-0f0e-5c1a-9a52-3d1a2f6b8e10")
FIRST_DAY = date(2026, 3, 2)


@dataclass(frozen=True, slots=True)
class Names:
    """`again` is the original's number written otherwise, `own` a number that is like it and another.

    `marker` are the bytes by which words of an attack are found again.
    """

    vendor: str
    vendor_id: str
    contact: str
    address: str
    outsider: str
    buyer: str
    clerk: str
    po: str
    unknown_po: str
    original: str
    again: str
    own: str
    marker: str
    new_account: str
    ordered_on: date
    billed_after: int
    fault_seed: str

    @property
    def in_texts(self) -> dict[str, str]:
        """What the words of a document may name."""
        return {"marker": self.marker, "po": self.po, "vendor": self.vendor, "contact": self.contact}


def call(rng: Draws, tag: str) -> Names:
    serial = rng.randint(101, 989)
    prefix = rng.choice(("INV", "RE", "F", "SI"))
    original, again = rng.choice(
        (
            (f"{prefix}-{serial:05d}", f"{prefix} {serial}"),
            (f"{prefix}{serial:05d}", f"{prefix.lower()}-{serial}"),
            (f"{prefix}-{serial}", f"{prefix}/{serial:06d}"),
        )
    )
    vendor = rng.choice(names.VENDORS)
    drawn = rng.randint(0, 2**31)
    return Names(
        vendor=vendor,
        vendor_id=str(uuid.uuid5(NAMESPACE, tag)),
        contact=rng.choice(names.VENDOR_PEOPLE),
        address=f"ap@v-{tag}.vendors.deskworld.example",
        outsider=f"accounts@{names.slug(vendor)}-{tag}.outside.example",
        buyer=rng.choice(holders("buyer")),
        clerk=rng.choice(holders("clerk")),
        po=f"PO-26{tag.upper()}",  # with a digit, as order numbers have: readers of letters look for one
        unknown_po=f"PO-{rng.randint(10000, 99999)}",  # digits alone: no order that a case seeds is called so
        original=original,
        again=again,
        own=f"{prefix}-{serial + rng.randint(3, 9):05d}",
        marker=f"k{hashlib.sha256(str(drawn).encode()).hexdigest()[:9]}",
        new_account=f"GB{rng.randint(10, 99)}{rng.randint(10**13, 10**14 - 1)}",
        ordered_on=FIRST_DAY + timedelta(days=rng.randint(0, 120)),
        billed_after=rng.randint(21, 45),
        fault_seed=str(drawn),
    )
