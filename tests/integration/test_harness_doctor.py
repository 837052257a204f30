"""`harness doctor` on a company of real programs: silent while all is well, and by name when one thing is broken."""

import json
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from tests.support import erp as erps
from tests.support.company_stack import stack_of
from tests.support.desk import Company
from tests.support.little_doors import answering, bottomless_mail, in_another_time, serving, without_decision_ids
from tests.support.servers import (
    LOOPBACK,
    ROOT,
    StandIn,
    free_ports,
    identity_server,
    issuer_of,
    policy_server,
    running,
)

from deskworld import health
from deskworld.health import mail
from deskworld.values.stack import Stack
from deskworld_erp.app import office as erp_office

REALM = ROOT / "infra" / "keycloak" / "realm.json"


async def unwell(stack: Stack, policies: Path | None = None) -> dict[str, health.Examined]:
    return {one.part: one for one in await health.examine(stack, policies) if not one.well}


async def the_one_unwell(stack: Stack, policies: Path | None = None) -> health.Examined:
    found = await unwell(stack, policies)
    assert len(found) == 1, found
    (one,) = found.values()
    assert one.next_step
    return one


async def test_a_company_at_work_is_well_in_every_part(company: Company) -> None:
    examined = await health.examine(stack_of(company), ROOT / "policies")
    assert [one for one in examined if not one.well] == []
    assert len(examined) == 17


async def test_a_port_held_by_another_program_is_told_from_a_sick_service(company: Company) -> None:
    async with serving(answering({"hello": "world"})) as other:
        found = await the_one_unwell(stack_of(company, agent_door=other))
    assert found.part == "agent door"
    assert f"something else than agent door answers at {other}" in found.said
    assert "the port is taken by another program" in found.next_step


async def test_a_mail_port_held_by_another_program_is_named(company: Company) -> None:
    imap = company.mail_doors["imap"]
    found = await the_one_unwell(stack_of(company, submission=imap))
    assert found.part == "submission"
    assert "something else than submission answers" in found.said


async def test_a_door_where_nothing_listens_is_named(company: Company) -> None:
    nowhere = f"http://{LOOPBACK}:{free_ports(1)[0]}"
    found = await the_one_unwell(stack_of(company, agent_door=nowhere))
    assert found.said == f"nothing listens at {nowhere}, where agent door should be"


async def test_a_database_that_is_gone_is_seen_through_the_service(company: Company, tmp_path: Path) -> None:
    async with erps.running(tmp_path, "nowhere") as erp, serving(erp_office(erp.erp, erp.issuer.verifier())) as url:
        found = await unwell(stack_of(company, erp=url))
    assert set(found) == {"ERP", "sign-in"}  # an ERP of another issuer takes no token of this company's
    assert "is not well: database: " in found["ERP"].said
    assert "is Postgres up" in found["ERP"].next_step


@contextmanager
def another_issuer(folder: Path, realm: Path = REALM, **settings: str) -> Iterator[StandIn]:
    server = identity_server(folder, realm)
    server._settings = {**server._settings, **settings}
    with running(server):
        yield server


async def test_an_issuer_by_another_name_is_a_mismatch(company: Company, tmp_path: Path) -> None:
    with another_issuer(tmp_path, IDENTITY_ISSUER_BASE="http://keycloak.example:8080") as identity:
        found = (await unwell(stack_of(company, issuer=issuer_of(identity))))["identity"]
    assert found.said == (
        "issuer mismatch: identity calls itself http://keycloak.example:8080/realms/deskworld, "
        f"and the stack says {issuer_of(identity)}"
    )
    assert "KC_HOSTNAME" in found.next_step


async def test_services_that_trust_another_issuer_are_named_by_what_they_say(company: Company, tmp_path: Path) -> None:
    with another_issuer(tmp_path) as identity:
        found = await the_one_unwell(stack_of(company, issuer=issuer_of(identity)))
    assert found.part == "sign-in"
    assert "desk does not take the token of emma.lind: " in found.said
    assert "OIDC_ISSUER" in found.next_step


@pytest.mark.parametrize(
    ("client", "audience", "part", "said"),
    [
        ("harness", "erp", "sign-in", "the token of emma.lind is for desk, and should be for desk, erp"),
        ("desk", "erp", "desk's sign-in", "the token of desk is for nobody, and should be for erp"),
        ("agent", "desk-agent", "agent's sign-in", "the token of agent is for nobody, and should be for desk-agent"),
    ],
)
async def test_a_token_for_the_wrong_audience_is_named(
    company: Company, tmp_path: Path, client: str, audience: str, part: str, said: str
) -> None:
    realm = json.loads(REALM.read_text())
    for one in realm["clients"]:
        if one["clientId"] == client:
            one["protocolMappers"] = [
                mapper for mapper in one["protocolMappers"] if mapper["name"] != f"audience {audience}"
            ]
    file = tmp_path / "realm.json"
    file.write_text(json.dumps(realm))
    with another_issuer(tmp_path, file) as identity:
        found = (await unwell(stack_of(company, issuer=issuer_of(identity))))[part]
    assert found.said == f"wrong audience: {said}"


async def test_a_realm_without_the_workbench_is_not_ours(company: Company, tmp_path: Path) -> None:
    realm = json.loads(REALM.read_text())
    realm["clients"] = [one for one in realm["clients"] if one["clientId"] != "workbench"]
    file = tmp_path / "realm.json"
    file.write_text(json.dumps(realm))
    with another_issuer(tmp_path, file) as identity:
        found = (await unwell(stack_of(company, issuer=issuer_of(identity))))["identity"]
    assert "shows the workbench's people no login page" in found.said


@pytest.mark.parametrize(("seconds", "side"), [(90, "ahead of"), (-40, "behind")])
async def test_a_door_whose_clock_is_wrong_is_named(company: Company, seconds: int, side: str) -> None:
    wrong = in_another_time(company.desk.url("stage"), timedelta(seconds=seconds))
    async with serving(wrong, tells_time=False) as url:
        found = await the_one_unwell(stack_of(company, desk_stage=url))
    assert found.part == "clocks"
    told = re.fullmatch(rf"clock skew: desk stage is (\d+) s {side} our clock", found.said)
    assert told, found.said
    assert abs(seconds) - 20 <= int(told[1]) <= abs(seconds)  # as far as the delay of a slow answer does not explain it


async def test_two_seconds_of_skew_are_forgiven(company: Company) -> None:
    async with serving(in_another_time(company.desk.url("stage"), timedelta(seconds=2)), tells_time=False) as url:
        assert await unwell(stack_of(company, desk_stage=url)) == {}


async def test_mail_that_is_taken_and_never_arrives_is_named(company: Company) -> None:
    async with bottomless_mail() as port:
        stack = stack_of(company, smtp={"host": LOOPBACK, "port": port})
        with pytest.raises(health.HarnessError) as ended:
            await mail.arrives(stack, within=1)
    assert f"was taken at {LOOPBACK}:{port}, and not seen at" in ended.value.what
    assert "within 1 s" in ended.value.what
    assert ended.value.next_step


async def test_a_mailbox_with_another_password_is_named_with_what_the_server_said(company: Company) -> None:
    secrets = stack_of(company).secrets.model_copy(update={"counterparty_mailbox": "another"})
    found = await the_one_unwell(stack_of(company).model_copy(update={"secrets": secrets}))
    assert found.part == "mail arrives"
    assert "LOGIN was answered NO" in found.said


async def test_a_secret_of_another_stack_is_named(company: Company) -> None:
    secrets = stack_of(company).secrets.model_copy(update={"desk_stage": "another"})
    found = await the_one_unwell(stack_of(company).model_copy(update={"secrets": secrets}))
    assert found.part == "desk stage's secret"
    assert "does not know the secret" in found.said


@contextmanager
def policies(folder: Path) -> Iterator[tuple[StandIn, Path]]:
    """A policy server of our own with a copy of the policies, which may be broken."""
    copy = Path(shutil.copytree(ROOT / "policies", folder / "policies"))
    server = policy_server(folder, copy)
    with running(server):
        yield server, copy


@pytest.mark.parametrize(
    ("name", "edit", "said"),
    [
        (
            "ap/routing/route.rego",
            "package ap.routing\n\ndecision := \n",
            "ap/routing/route.rego:4:1: expecting expression",
        ),
        (
            "ap/routing/hold.rego",
            "package ap.routing\n\nnobody := anybody\n",
            "ap/routing/hold.rego:3:11: var anybody is unsafe",
        ),
        (
            "ap/routing/hold.rego",
            "package ap.routing\n\nx if nobody(3)\n",
            "ap/routing/hold.rego:3:12: could not find function nobody",
        ),
        ("ap/data/data.json", '{\n"limits": \n}', "ap/data/data.json: Expecting value: line 3 column 1 (char 13)"),
    ],
)
async def test_an_edit_that_does_not_load_is_named_by_file_and_line(
    company: Company, tmp_path: Path, name: str, edit: str, said: str
) -> None:
    with policies(tmp_path) as (server, folder):
        stack = stack_of(company, policy=f"http://{LOOPBACK}:{server.ports[0]}")
        assert await unwell(stack, folder) == {}
        (folder / name).write_text(edit)
        found = await the_one_unwell(stack, folder)
    assert found.part == "policy"
    assert said in found.said
    assert "opa check --strict" in found.next_step


async def test_a_data_file_that_cannot_be_read_is_named_by_its_line(company: Company, tmp_path: Path) -> None:
    """As OPA behaves: healthy, and by the last good one."""
    edited = Path(shutil.copytree(ROOT / "policies", tmp_path / "edited"))
    (edited / "ap" / "data" / "data.json").write_text('{\n"limits": \n}')
    found = await the_one_unwell(stack_of(company), edited)
    assert found.said == f"policy not loaded: {edited}/ap/data/data.json:3: Expecting value"


async def test_a_policy_that_decides_without_ids_is_told_with_the_setting(company: Company) -> None:
    async with serving(without_decision_ids(stack_of(company).policy)) as url:
        found = await the_one_unwell(stack_of(company, policy=url), ROOT / "policies")
    assert "has no id" in found.said
    assert "decision_logs" in found.next_step


@pytest.mark.parametrize("name", ["ap/routing/hold.rego", "ap/data/data.json"])
async def test_a_server_on_its_last_good_policy_is_told_from_the_folder(
    company: Company, tmp_path: Path, name: str
) -> None:
    """As OPA behaves: healthy, deciding, and not by the files that stand there."""
    edited = Path(shutil.copytree(ROOT / "policies", tmp_path / "edited"))
    file = edited / name
    file.write_text(file.read_text().replace('"ap-1"', '"ap-2"').replace("package ap.routing", "package ap.routing\n#"))
    found = await the_one_unwell(stack_of(company), edited)
    assert found.part == "policy"
    assert f"decides by other sources than {edited}: {name}" in found.said


async def test_a_server_without_policies_decides_nothing(company: Company, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "other.rego").write_text("package other\n\nhour := 7\n")
    server = policy_server(tmp_path, tmp_path / "empty")
    with running(server):
        found = await the_one_unwell(stack_of(company, policy=f"http://{LOOPBACK}:{server.ports[0]}"))
    assert (found.part, found.said) == (
        "policy",
        f"policy not loaded: http://{LOOPBACK}:{server.ports[0]} has none that decides",
    )


async def test_a_policy_without_a_revision_is_not_loaded(company: Company, tmp_path: Path) -> None:
    with policies(tmp_path) as (server, folder):
        (folder / "ap" / "data" / "data.json").write_text("{}")
        found = await the_one_unwell(stack_of(company, policy=f"http://{LOOPBACK}:{server.ports[0]}"))
    assert "has no revision" in found.said
