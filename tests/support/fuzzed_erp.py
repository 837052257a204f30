"""The ERP's doors for a fuzzer: some records to find, and credentials that outlast it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal

from tests.support.erp import BANK_CHANGE, ROLES, STAGE_SECRET, RunningErp, invoice, line, situation
from tests.support.served import served

from deskworld_erp.app import office
from deskworld_erp.stage_door import stage

Name = Literal["office", "stage"]
HOURS = 10 * 3600.0


@asynccontextmanager
async def fuzzed_door(erp: RunningErp, name: Name) -> AsyncIterator[tuple[str, str]]:
    """Its address, and what opens it."""
    for _ in range(3):
        await erp.seed(situation(invoice(lines=[line(price="10.40")]), bank_changes=[BANK_CHANGE]))
    who = "ines.vogel"
    token = erp.issuer.token(
        lives=HOURS, sub=f"sub-{who}", preferred_username=who, realm_access={"roles": [ROLES[who]]}
    )
    doors = {
        "office": (office(erp.erp, erp.issuer.verifier()), token),
        "stage": (stage(erp.erp, STAGE_SECRET), STAGE_SECRET),
    }
    app, credential = doors[name]
    async with served(app) as address:
        yield address, credential
