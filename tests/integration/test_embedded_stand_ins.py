"""The stand-in servers under `kill -9`, bad settings and broken policies: nothing that was answered for is lost."""

import asyncio
import base64
import json
import os
import stat
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import aiosmtplib
import httpx
import jwt
import psutil
import pytest
from tests.support.mailing import letter, mailbox, send, smtp
from tests.support.servers import (
    LOGINS,
    LOOPBACK,
    ROOT,
    StandIn,
    identity_server,
    issuer_of,
    mail_doors,
    mail_server,
    policy_server,
    running,
)
from tests.support.signing_in import oidc, parameters

from deskworld_kit import clock

VENDOR = "ap@v-90.vendors.deskworld.example"


def doors(server: StandIn) -> dict[str, Any]:
    secrets = {"counterparty_mailbox": LOGINS["counterparties"], "desk_mailbox": LOGINS["desk"]}
    return {**mail_doors(server), "secrets": secrets}


async def test_mail_that_was_accepted_survives_the_death_of_the_server(tmp_path: Path) -> None:
    server = mail_server(tmp_path)
    with running(server):
        stack = doors(server)
        for number in range(10):
            await send(stack, "a@outside.example", [VENDOR, "x@outside.example"], letter(f"kept.{number}", "x" * 5000))
        async with mailbox(stack) as box:
            before = await box.find("kept.")
            texts = {uid: await box.fetch(uid) for uid in before}
            await box.store(before[3], "+FLAGS", "(\\Answered $read)")
            await box.store(before[4], "+FLAGS", "(\\Deleted)")
            await box.client.expunge()
            assert (await box.client.create("Done")).result == "OK"
            assert (await box.client.uid("copy", str(before[5]), "Done")).result == "OK"
        server.kill()
        server.start()
        async with mailbox(stack) as after:
            assert after.uid_validity == box.uid_validity
            assert await after.find("kept.") == [uid for uid in before if uid != before[4]]
            for uid in await after.find("kept."):
                assert await after.fetch(uid) == texts[uid]
            assert await after.flags(before[3]) == {"\\answered", "$read"}
            assert after.uid_next == before[-1] + 1
            assert (await after.client.select("Done")).result == "OK"
            assert await after.fetch(1) == texts[before[5]]


@pytest.mark.slow
async def test_nothing_is_lost_or_doubled_when_the_server_dies_under_load(tmp_path: Path) -> None:
    server = mail_server(tmp_path)
    accepted: set[str] = set()
    tried = 0

    async def pump(worker: int) -> None:
        nonlocal tried
        async with smtp(stack) as client:
            for number in range(1000):
                subject = f"load.{worker}.{number}.end"
                tried += 1
                try:
                    await client.sendmail("a@outside.example", [VENDOR], letter(subject, "y" * 2000))
                except (aiosmtplib.SMTPException, OSError):
                    return
                accepted.add(subject)

    with running(server):
        stack = doors(server)
        for round_ in range(3):
            enough = len(accepted) + 150
            pumps = [asyncio.create_task(pump(round_ * 10 + worker)) for worker in range(4)]
            deadline = clock.monotonic() + 20
            while len(accepted) < enough and clock.monotonic() < deadline:
                await clock.pause(0.005)
            server.kill()
            await asyncio.gather(*pumps)
            assert len(accepted) >= enough
            server.start()
        async with mailbox(stack) as box:
            uids = await box.search("ALL")
            heads = [await box.fetch(uid, "(BODY.PEEK[HEADER.FIELDS (SUBJECT)])") for uid in uids]
    found = [head.decode().removeprefix("Subject: ").strip() for head in heads]
    assert len(found) == len(set(found)), "a message was kept twice"
    assert accepted <= set(found), "an accepted message is gone"
    assert len(set(found) - accepted) <= tried - len(accepted)
    assert uids == sorted(set(uids))


async def test_a_message_that_was_cut_off_by_the_death_of_the_server_is_not_there(tmp_path: Path) -> None:
    server = mail_server(tmp_path)
    with running(server):
        stack = doors(server)
        await send(stack, "a@outside.example", [VENDOR], letter("whole"))
        server.kill()
        journal = tmp_path / "mail" / "mail.journal"
        with journal.open("ab") as file:
            file.write(b'["store",{"to":[[1,2,0]],"at":1,"flags":[]},1000]\nonly the beginning')
        server.start()
        await send(stack, "a@outside.example", [VENDOR], letter("after"))
        async with mailbox(stack) as box:
            assert len(await box.find("whole")) == len(await box.find("after")) == 1
            assert box.exists == 2
        server.kill()
        server.start()
        async with mailbox(stack) as box:
            assert box.exists == 2


async def test_mail_that_the_disk_does_not_take_is_refused_for_now(tmp_path: Path) -> None:
    """A file size limit stands in for a full disk: both fail the write."""
    server = mail_server(tmp_path)
    with running(server):
        stack = doors(server)
        await send(stack, "a@outside.example", [VENDOR], letter("before"))
        process = psutil.Process(server.pid)
        size = (tmp_path / "mail" / "mail.journal").stat().st_size
        process.rlimit(psutil.RLIMIT_FSIZE, (size + 500, psutil.RLIM_INFINITY))
        async with smtp(stack) as client:
            with pytest.raises(aiosmtplib.SMTPDataError) as refused:
                await client.sendmail("a@outside.example", [VENDOR], letter("no-room", "z" * 4000))
            assert refused.value.code == 452
        process.rlimit(psutil.RLIMIT_FSIZE, (psutil.RLIM_INFINITY, psutil.RLIM_INFINITY))
        await send(stack, "a@outside.example", [VENDOR], letter("room-again"))
        server.kill()
        server.start()
        async with mailbox(stack) as box:
            assert await box.find("no-room") == []
            assert len(await box.find("before")) == len(await box.find("room-again")) == 1


async def test_tokens_and_sessions_outlive_the_issuers_process(tmp_path: Path) -> None:
    server = identity_server(tmp_path)
    with running(server):
        async with httpx.AsyncClient(timeout=15, trust_env=False) as http:
            issuer = await oidc(http, issuer_of(server))
            before = (await issuer.password("ines.vogel", scope="openid")).json()
            gone = (await issuer.password("emma.lind")).json()
            await http.post(
                issuer.about["end_session_endpoint"],
                data={"client_id": "harness", "refresh_token": gone["refresh_token"]},
            )
            code = parameters(await issuer.sign_in("anna.keller"))["code"]
            redeemed = parameters(await issuer.ask())["code"]
            assert (await issuer.redeem(redeemed)).status_code == 200
            server.kill()
            server.start()
            keys = jwt.PyJWKSet.from_dict((await http.get(issuer.about["jwks_uri"])).json())
            key = keys[jwt.get_unverified_header(before["access_token"])["kid"]]
            claims = jwt.decode(before["access_token"], key, algorithms=["RS256"], audience="erp")
            assert claims["preferred_username"] == "ines.vogel"
            form = {"grant_type": "refresh_token", "client_id": "harness"}
            assert (await issuer.token(**form, refresh_token=before["refresh_token"])).status_code == 200
            assert (await issuer.token(**form, refresh_token=gone["refresh_token"])).status_code == 400
            assert (await issuer.redeem(code)).status_code == 200, "a sign-in in flight goes on"
            assert parameters(await issuer.ask(prompt="none"))["code"], "the browser is still signed in"
            assert (await issuer.redeem(redeemed)).status_code == 400, "a used code stays used"


async def test_the_signing_key_is_readable_by_its_owner_alone(tmp_path: Path) -> None:
    with running(identity_server(tmp_path)):
        for file in (tmp_path / "identity").iterdir():
            assert stat.S_IMODE(file.stat().st_mode) == 0o600, file.name


def changed_realm(tmp_path: Path, **settings: Any) -> Path:
    realm = json.loads((ROOT / "infra/keycloak/realm.json").read_text())
    path = tmp_path / "realm.json"
    path.write_text(json.dumps({**realm, **settings}))
    return path


async def test_a_refresh_token_is_good_once_where_the_realm_says_so(tmp_path: Path) -> None:
    server = identity_server(tmp_path, changed_realm(tmp_path, revokeRefreshToken=True, refreshTokenMaxReuse=0))
    with running(server):
        async with httpx.AsyncClient(timeout=15, trust_env=False) as http:
            issuer = await oidc(http, issuer_of(server))
            first = (await issuer.password("emma.lind")).json()["refresh_token"]
            form = {"grant_type": "refresh_token", "client_id": "harness"}
            second = (await issuer.token(**form, refresh_token=first)).json()["refresh_token"]
            again = await issuer.token(**form, refresh_token=first)
            assert (again.status_code, again.json()["error"]) == (400, "invalid_grant")
            assert (await issuer.token(**form, refresh_token=second)).status_code == 200
            server.kill()
            server.start()
            assert (await issuer.token(**form, refresh_token=second)).status_code == 400


async def test_a_session_ends_with_its_time(tmp_path: Path) -> None:
    server = identity_server(tmp_path, changed_realm(tmp_path, ssoSessionIdleTimeout=1, accessTokenLifespan=900))
    with running(server):
        async with httpx.AsyncClient(timeout=15, trust_env=False) as http:
            issuer = await oidc(http, issuer_of(server))
            tokens = (await issuer.password("emma.lind", scope="openid")).json()
            assert tokens["expires_in"] <= 1, "a token does not outlive its session"
            form = {"grant_type": "refresh_token", "client_id": "harness", "refresh_token": tokens["refresh_token"]}
            deadline = clock.monotonic() + 10
            while (
                jwt.decode(tokens["access_token"], options={"verify_signature": False})["exp"] > clock.now().timestamp()
            ):
                assert clock.monotonic() < deadline
                await clock.pause(0.05)
            assert (await issuer.token(**form)).status_code == 400
            headers = {"Authorization": f"Bearer {tokens['access_token']}"}
            assert (await http.get(issuer.about["userinfo_endpoint"], headers=headers)).status_code == 401


BUNDLE = """package shop
import rego.v1
default open := false
open if input.hour >= 9
tags contains tag if some tag in ["b", "a"]
echo := input
twice := 1 if input.twice
twice := 2 if input.twice
limit := data.shop.data.limit
"""


def bundle(folder: Path, text: str = BUNDLE) -> Path:
    (folder / "shop" / "data").mkdir(parents=True, exist_ok=True)
    (folder / "shop" / "shop.rego").write_text(text)
    (folder / "shop" / "shop_test.rego").write_text("package shop_test\nthis is no rego\n")
    (folder / "shop" / "data" / "data.json").write_text('{"limit": "500.00"}')
    (folder / "shop" / "data" / "notes.json").write_text('{"limit": "1.00"}')
    (folder / "data.yaml").write_text("region: north\n")
    return folder


async def ask(http: httpx.AsyncClient, server: StandIn, path: str, value: str | None = None) -> httpx.Response:
    url = f"http://{LOOPBACK}:{server.ports[0]}/v1/data/{path}"
    return await (http.get(url) if value is None else http.post(url, content=f'{{"input": {value}}}'))


async def test_a_bundle_is_read_and_answered_as_opa_does(tmp_path: Path) -> None:
    server = policy_server(tmp_path, bundle(tmp_path / "policies"))
    with running(server):
        async with httpx.AsyncClient(trust_env=False) as http:
            assert (await ask(http, server, "shop/open", '{"hour": 10}')).json()["result"] is True
            assert (await ask(http, server, "shop/open", "{}")).json()["result"] is False
            assert (await ask(http, server, "shop/tags")).json()["result"] == ["a", "b"]
            assert (await ask(http, server, "shop/limit")).json()["result"] == "500.00"
            assert (await ask(http, server, "region")).json()["result"] == "north"
            assert "result" not in (await ask(http, server, "shop/echo")).json()
            whole = (await ask(http, server, "shop", "{}")).json()["result"]
            assert whole["tags"] == ["a", "b"]
            assert whole["echo"] == {}


async def test_numbers_are_kept_exactly_or_refused(tmp_path: Path) -> None:
    server = policy_server(tmp_path, bundle(tmp_path / "policies"))
    with running(server):
        async with httpx.AsyncClient(trust_env=False) as http:
            for exact in (
                "9007199254740993",
                "18446744073709551615",
                "-9223372036854775808",
                "0.1",
                "1e3",
                "0.30",
                "-0",
            ):
                answer = await ask(http, server, "shop/echo", exact)
                assert answer.status_code == 200, exact
                assert answer.json()["result"] == json.loads(exact), exact
            for rounded in (
                "18446744073709551616",
                "123456789012345678901234567890",
                "0.12345678901234567890123",
                "1e999",
            ):
                answer = await ask(http, server, "shop/echo", rounded)
                assert answer.status_code == 400, rounded
                assert "exactly" in answer.json()["message"]


async def test_half_a_letter_in_the_input_is_read_as_opa_reads_it(tmp_path: Path) -> None:
    server = policy_server(tmp_path, bundle(tmp_path / "policies"))
    with running(server):
        async with httpx.AsyncClient(trust_env=False) as http:
            assert (await ask(http, server, "shop/echo", '"a\\ud800b"')).json()["result"] == "a\ufffdb"
            assert (await ask(http, server, "shop/echo", '"\\ud83d\\ude00"')).json()["result"] == "\U0001f600"


async def test_an_evaluation_that_fails_says_where(tmp_path: Path) -> None:
    server = policy_server(tmp_path, bundle(tmp_path / "policies"))
    with running(server):
        async with httpx.AsyncClient(trust_env=False) as http:
            answer = await ask(http, server, "shop/twice", '{"twice": true}')
            assert answer.status_code == 500
            body = answer.json()
            assert body["code"] == "internal_error"
            assert body["errors"][0]["code"] == "eval_conflict_error"
            assert body["errors"][0]["location"]["file"] == "shop/shop.rego"
            assert "backtrace" not in answer.text.lower()
            assert (await ask(http, server, "shop/twice", "{}")).status_code == 200


async def test_a_broken_edit_leaves_the_last_good_policy_in_force_and_is_not_well(tmp_path: Path) -> None:
    folder = bundle(tmp_path / "policies")
    server = policy_server(tmp_path, folder)
    with running(server):
        async with httpx.AsyncClient(trust_env=False) as http:
            url = f"http://{LOOPBACK}:{server.ports[0]}/health"

            async def health_becomes(status: int) -> httpx.Response:
                deadline = clock.monotonic() + 5
                while (answer := await http.get(url)).status_code != status:
                    assert clock.monotonic() < deadline, f"health stayed {answer.status_code}"
                    await clock.pause(0.02)
                return answer

            bundle(folder, BUNDLE + "\nopen := \n")
            trouble = await health_becomes(500)
            assert "shop/shop.rego" in trouble.json()["error"]
            assert (await ask(http, server, "shop/open", '{"hour": 10}')).json()["result"] is True
            bundle(folder, BUNDLE.replace(">= 9", ">= 11"))
            await health_becomes(200)
            assert (await ask(http, server, "shop/open", '{"hour": 10}')).json()["result"] is False


async def test_a_policy_that_never_loaded_decides_nothing(tmp_path: Path) -> None:
    server = policy_server(tmp_path, bundle(tmp_path / "policies", "package shop\nopen := "))
    with running(server):
        async with httpx.AsyncClient(trust_env=False) as http:
            answer = await ask(http, server, "shop/open", "{}")
            assert answer.status_code == 500
            assert "result" not in answer.json()
            assert (await http.get(f"http://{LOOPBACK}:{server.ports[0]}/health")).status_code == 500


@pytest.mark.parametrize(
    ("module", "settings", "said"),
    [
        ("mail", {}, "MAIL_SMTP_BIND"),
        ("mail", {"MAIL_SMTP_BIND": "0.0.0.0:2525"}, "loopback"),
        (
            "identity",
            {"IDENTITY_BIND": "127.0.0.1:0", "IDENTITY_FOLDER": "{tmp}", "IDENTITY_REALM": "/nowhere.json"},
            "nowhere",
        ),
        ("identity", {"IDENTITY_BIND": "example.com:80"}, "loopback"),
        ("policy", {"POLICY_BIND": "127.0.0.1:99999"}, "HOST:PORT"),
        ("policy", {"POLICY_BIND": "127.0.0.1:0", "POLICY_FOLDER": "/nowhere"}, "not a folder"),
    ],
)
def test_a_setting_that_cannot_be_is_named(tmp_path: Path, module: str, settings: Mapping[str, str], said: str) -> None:
    given = {name: value.replace("{tmp}", str(tmp_path)) for name, value in settings.items()}
    ended = subprocess.run(
        [sys.executable, "-m", f"deskworld_embedded.{module}"],
        cwd=ROOT,
        env={**os.environ, **given},
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert ended.returncode == 2
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_taken_address_is_named(tmp_path: Path) -> None:
    server = policy_server(tmp_path)
    with running(server):
        at = f"{LOOPBACK}:{server.ports[0]}"
        ended = subprocess.run(
            [sys.executable, "-m", "deskworld_embedded.policy"],
            cwd=ROOT,
            env={**os.environ, "POLICY_BIND": at, "POLICY_FOLDER": str(ROOT / "policies")},
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )
    assert ended.returncode == 2
    assert at in ended.stderr


def test_each_server_is_small_and_ends_when_told(tmp_path: Path) -> None:
    for server in (mail_server(tmp_path), identity_server(tmp_path), policy_server(tmp_path)):
        server.start()
        assert psutil.Process(server.pid).memory_info().rss < 60 * 1024 * 1024
        assert server.stop() == 0, server.complaints()
        assert server.complaints() == ""


async def test_client_secrets_can_be_replaced(tmp_path: Path) -> None:
    server = identity_server(tmp_path)
    server._settings = {**server._settings, "IDENTITY_CLIENT_SECRETS": '{"agent": "another"}'}
    with running(server):
        async with httpx.AsyncClient(trust_env=False) as http:
            url = f"{issuer_of(server)}/protocol/openid-connect/token"

            async def status(secret: str) -> int:
                basic = base64.b64encode(f"agent:{secret}".encode()).decode()
                headers = {"Authorization": f"Basic {basic}"}
                answer = await http.post(url, data={"grant_type": "client_credentials"}, headers=headers)
                return answer.status_code

            assert await status("another") == 200
            assert await status("agent-loopback-secret") == 401
