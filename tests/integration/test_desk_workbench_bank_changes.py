"""A bank change is verified at the workbench: as the ERP shows it, on a number known before, by two people."""

import httpx
import pytest
from tests.support.desk import Company, Seeded
from tests.support.workbench import guest

from deskworld_kit.ids import new_id

KNOWN = "+1 555 0142"


async def change_of(seeded: Seeded) -> str:
    accounts = (await seeded.witness())["vendor"]["bank_accounts"]
    return str(next(one["change"]["id"] for one in accounts if one["change"]))


async def take(company: Company, change_id: str, step: str, by: str, key: str, **body: str) -> httpx.Response:
    headers = {"Authorization": f"Bearer {await company.token(by)}", "Idempotency-Key": key}
    url = f"{company.desk.url('office')}/bank-changes/{change_id}/{step}"
    return await company.http.post(url, json=body, headers=headers)


async def test_two_people_verify_a_change_on_the_pages_and_the_case_is_told(company: Company) -> None:
    seeded = await company.seed(bank_change=True)
    change = await change_of(seeded)
    url = company.desk.url("office")
    async with guest(url) as grace, guest(url) as ines:
        page = await grace.sign_in("grace.hall", "/workbench/bank-changes")
        assert f"/workbench/bank-changes/{change}" in page.text
        page = await grace.go(f"/workbench/bank-changes/{change}")
        for said in ("CH99", "ap@look-alike.outside.example", "emma.lind", KNOWN, "Iris Lang"):
            assert said in page.text
        form = grace.form("/call-back")
        page = await grace.send(form, phone="+1 555 9999", answer="yes")
        assert page.status_code == 422
        assert "not a number that is on record" in page.text
        assert 'value="+1 555 9999"' in page.text
        called = grace.form("/call-back")
        for _ in range(2):  # an impatient second click
            page = await grace.send(called, phone=KNOWN, answer="yes", comment="Ms Lang knew of it.")
            assert "The call is on record." in page.text
        page = await grace.send(grace.form("/confirm"))
        assert page.status_code == 403, "whoever called does not confirm"
        await ines.sign_in("ines.vogel", f"/workbench/bank-changes/{change}")
        assert "Ms Lang knew of it." in ines.page.text
        page = await ines.send(ines.form("/confirm"), comment="")
        assert "Verified" in page.text
        assert "/confirm" not in page.text
    accounts = {one["account"]: one["status"] for one in (await seeded.witness())["vendor"]["bank_accounts"]}
    assert accounts == {"CH11": "SUPERSEDED", "CH99": "ACTIVE"}


async def test_a_no_over_the_api_rejects_it_once_per_key(company: Company) -> None:
    seeded = await company.seed(bank_change=True)
    change, key = await change_of(seeded), new_id()
    shown = (await company.ask("desk", "GET", f"/bank-changes/{change}", by="kira.stone")).json()
    assert (shown["next"], shown["party"]["contacts"][0]["phone"]) == (["call-back", "reject"], KNOWN)
    first = await take(company, change, "call-back", "grace.hall", key, phone=KNOWN, answer="no")
    again = await take(company, change, "call-back", "grace.hall", key, phone=KNOWN, answer="no")
    assert (first.status_code, first.json()["status"]) == (200, "REJECTED")
    assert again.json() == first.json()
    late = await take(company, change, "confirm", "ines.vogel", new_id())
    assert (late.status_code, late.json()["code"]) == (422, "INVALID_TRANSITION")
    listed = (await company.ask("desk", "GET", "/bank-changes?done=true", by="kira.stone")).json()["items"]
    assert change in {one["change"]["id"] for one in listed}
    waits = (await company.ask("desk", "GET", "/bank-changes", by="kira.stone")).json()["items"]
    assert change not in {one["change"]["id"] for one in waits}


@pytest.mark.parametrize("by", ["anna.keller", "emma.lind", "kira.stone"])
async def test_who_may_not_verify_is_refused_at_the_desks_own_door(company: Company, by: str) -> None:
    seeded = await company.seed(bank_change=True)
    change = await change_of(seeded)
    answer = await take(company, change, "reject", by, new_id())
    assert (answer.status_code, answer.json()["code"]) == (403, "NOT_AUTHORISED")
    assert "none of the roles" in answer.json()["detail"], "the desk says so: the ERP is not asked"


@pytest.mark.parametrize("change", ["nobody", pytest.param(new_id(), id="an id of nothing")])
async def test_a_change_that_there_is_not_is_not_found(company: Company, change: str) -> None:
    answer = await company.ask("desk", "GET", f"/bank-changes/{change}", by="grace.hall")
    assert answer.status_code == 404
    answer = await take(company, change, "reject", "grace.hall", new_id())
    assert answer.status_code in {400, 404}
