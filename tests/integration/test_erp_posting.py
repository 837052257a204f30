"""A posting writes all that it says, or nothing: also where nobody waits for the answers of its last statements."""

import pytest
from sqlalchemy.exc import DBAPIError
from tests.support.erp import RunningErp, invoice, line, situation

from deskworld_erp.closing import Made
from deskworld_erp.erp import Erp
from deskworld_erp.invoicing.matching import _OURS, CHANGE
from deskworld_erp.posting import Actor
from deskworld_kit.outage import is_outage


async def post(erp: Erp, found: dict[str, object], *, seen: int, made: int) -> None:
    """Gives an invoice the status ON_HOLD, as somebody who saw it at one version and says to have made another."""
    async with erp.posting(Actor("test", None)) as posting:
        posting.audit("invoice", str(found["id"]), str(found["vendor_id"]), "test", {})
        ours = dict.fromkeys(_OURS) | {"status": "ON_HOLD", "version": made, "payable": 0, "counts": {}, "cleared": []}
        written = ours | {"credits": 0, "credited": {}, "notes": [], "of": found["id"], "seen": seen}
        posting.last.append((CHANGE, written))
        posting.made = Made(str(found["id"]), made)


async def test_a_change_that_met_another_version_leaves_nothing_behind(erp: RunningErp) -> None:
    seeded = await erp.seed(situation(invoice(lines=[line(price="10.40")])))
    found = await seeded.invoice()
    before = await erp.get(f"/audit?entity={found['id']}", by="kira.stone")
    with pytest.raises(DBAPIError, check=lambda error: not is_outage(error)):
        await post(erp.erp, found, seen=7, made=8)
    assert await seeded.invoice() == found
    assert await erp.get(f"/audit?entity={found['id']}", by="kira.stone") == before
    await post(erp.erp, found, seen=1, made=2)
    assert (await seeded.invoice())["version"] == 2
    after = await erp.get(f"/audit?entity={found['id']}", by="kira.stone")
    assert len(after["items"]) == len(before["items"]) + 1
    assert (await erp.get("/audit/verify", by="kira.stone"))["ok"] is True
