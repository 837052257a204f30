"""Loads a company through the ERP's stage door, some vendors a call."""

from collections import Counter
from itertools import islice

from deskworld.doors.http import Refusal
from deskworld.errors import StageFailed, UsageWrong
from deskworld.values.stack import Stack
from deskworld.world import Loaded, Tell
from deskworld.worlds.ap.company import company
from deskworld.worlds.ap.company_names import MOST_VENDORS
from deskworld.worlds.ap.erp import stage_door

TOGETHER = 10


async def load_company(stack: Stack, seed: int, vendors: int, tell: Tell) -> Loaded:
    """Raises UsageWrong, StageFailed, DoorFailed. Vendors of a call are loaded all or not at all."""
    if not 0 < vendors <= MOST_VENDORS:
        raise UsageWrong(f"a company has 1 to {MOST_VENDORS} vendors, not {vendors}", next_step="give another number")
    door, counts, wrong, done = stage_door(stack), Counter[str](), Counter[str](), 0
    situations = company(seed, vendors)
    try:
        while part := list(islice(situations, TOGETHER)):
            answer = await door.post("/stage/companies", {"situations": part})
            done += len(part)
            counts.update({"vendors": len(part), "orders": answer["orders"], "invoices": answer["invoices"]})
            wrong.update(answer["exceptions"])
            tell(done, vendors)
    except Refusal as refusal:
        if refusal.code != "ALREADY_EXISTS":
            raise
        raise StageFailed(
            f"the company of seed {seed} is on stack {stack.id} already, in whole or in part",
            next_step="`harness load --company --seed` with another number makes another company",
        ) from refusal
    finally:
        await door.close()
    return Loaded(counts, dict(sorted(wrong.items())))
