"""Several receivers of events, each for itself; the feed for those who cannot receive; what did not arrive."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, Request, Response
from httpx_sse import ServerSentEvent, aconnect_sse
from tests.support.erp import RunningErp, Seeded, invoice, line, new_database, running, situation
from tests.support.served import served

from deskworld_erp.app import office
from deskworld_kit import webhooks
from deskworld_kit.clock import now
from deskworld_kit.gate import Backoff
from deskworld_kit.ids import new_id

DEAR = [line(price="10.40")]


@dataclass
class Other:
    """Somebody else who is sent the events, over a socket; it answers what it is told to."""

    statuses: list[int] = field(default_factory=list)
    away: bool = False
    taken: list[dict[str, Any]] = field(default_factory=list)
    tries: int = 0
    secret: str = ""
    arrived: asyncio.Event = field(default_factory=asyncio.Event)

    def app(self) -> FastAPI:
        app = FastAPI()

        @app.post("/in")
        async def take(request: Request) -> Response:
            body = await request.body()
            webhooks.verify(self.secret, request.headers, body, now())
            self.tries += 1
            if self.away:
                return Response(status_code=503, headers={"retry-after": "0"})
            if self.statuses:
                return Response(status_code=self.statuses.pop(0))
            self.taken.append(json.loads(body))
            self.arrived.set()
            return Response(status_code=204)

        return app

    async def until(self, count: int, *, within: float = 10.0) -> list[dict[str, Any]]:
        try:
            async with asyncio.timeout(within):
                while len(self.taken) < count:
                    self.arrived.clear()
                    await self.arrived.wait()
        except TimeoutError:
            raise AssertionError(f"awaited {count} events for {within} s; {len(self.taken)} came") from None
        return self.taken


@asynccontextmanager
async def subscribed(erp: RunningErp, other: Other) -> AsyncIterator[str]:
    async with served(other.app()) as address:
        answer = await erp.post("/subscriptions", by="grace.hall", url=f"{address}/in")
        assert answer.status_code == 201, answer.text
        other.secret = answer.json()["secret"]
        try:
            yield str(answer.json()["id"])
        finally:
            await erp.office.delete(f"/subscriptions/{answer.json()['id']}", headers=erp.headers("grace.hall"))


async def test_another_receiver_gets_what_is_published_from_then_on_signed_with_its_own_secret(
    erp: RunningErp,
) -> None:
    before = await erp.seed(situation(invoice(lines=DEAR)))
    await erp.desk.until(before.vendor_id, 1)
    other = Other()
    async with subscribed(erp, other) as name:
        seeded = await erp.seed(situation(invoice(lines=DEAR)))
        (event,) = await other.until(1)
        assert event["data"]["vendor_id"] == seeded.vendor_id
        (theirs,) = await erp.desk.until(seeded.vendor_id, 1)
        assert theirs == event
        listed = (await erp.get("/subscriptions"))["items"]
        assert [one["id"] for one in listed if one["id"] == name] == [name]
        assert not any("secret" in one for one in listed)
    after = await erp.seed(situation(invoice(lines=DEAR)))
    await erp.desk.until(after.vendor_id, 1)
    assert len(other.taken) == 1
    assert name not in [one["id"] for one in (await erp.get("/subscriptions"))["items"]]


async def test_a_receiver_that_is_away_keeps_nobody_else_waiting(erp: RunningErp) -> None:
    """It is tried again with one event at a time, and gets all of them in order once it is back."""
    other = Other(away=True)
    async with subscribed(erp, other):
        seeded = await asyncio.gather(*(erp.seed(situation(invoice(lines=DEAR))) for _ in range(10)))
        for one in seeded:
            await erp.desk.until(one.vendor_id, 1, within=20)
            await erp.send("reject", await one.invoice(), by="hugo.silva")
            await erp.desk.until(one.vendor_id, 3, within=20)
        assert (other.taken, other.tries > 0) == ([], True)
        other.away = False
        taken = await other.until(30, within=20)
        for one in seeded:
            mine = [event["type"].rpartition(".")[2] for event in taken if event["data"]["vendor_id"] == one.vendor_id]
            assert mine == ["raised", "resolved", "changed"]


async def test_an_event_that_one_receiver_refuses_is_dead_for_it_alone(erp_postgres: Path) -> None:
    await new_database(erp_postgres, "refused")
    backoff = Backoff(first=0.001, most=0.001, attempts=3)
    async with running(erp_postgres, "refused", backoff=backoff) as erp:
        other = Other(statuses=[400, 422, 500])
        async with subscribed(erp, other) as name:
            seeded = await erp.seed(situation(invoice(lines=DEAR)))
            await erp.send("reject", await seeded.invoice(), by="grace.hall")
            assert [one["type"].rpartition(".")[2] for one in await other.until(2)] == ["resolved", "changed"]
            assert len(await erp.desk.until(seeded.vendor_id, 3)) == 3
            (dead,) = (await erp.get("/events/dead-letters"))["items"]
            assert (dead["receiver"], dead["attempts"], dead["last_error"]) == (name, 3, "answered 500")
            state = {one["id"]: one for one in (await erp.get("/subscriptions"))["items"]}
            assert (state[name]["dead"], state[name]["last_error"]) == (1, "answered 500")
            assert state["webhook"]["dead"] == 0

            path = f"/events/dead-letters/{dead['id']}/resend"
            for who in ("emma.lind", "desk", "anna.keller", "kira.stone"):
                assert (await erp.post(path, by=who)).status_code == 403
            again = await erp.post(path, by="grace.hall", receiver=name)
            assert (again.status_code, again.json()) == (202, {"event_id": dead["id"], "receivers": [name]})
            assert (await other.until(3))[-1]["id"] == dead["id"]
            assert (await erp.get("/events/dead-letters"))["items"] == []
            assert len(erp.desk.of(seeded.vendor_id)) == 3
            row = (await erp.get(f"/audit?entity={dead['id']}", by="kira.stone"))["items"][0]
            assert (row["action"], row["user"]["username"]) == ("resend", "grace.hall")
            assert (await erp.post(path, by="grace.hall")).status_code == 404  # it is no dead letter any more


async def test_dead_letters_come_page_by_page(erp_postgres: Path) -> None:
    await new_database(erp_postgres, "pages")
    async with running(erp_postgres, "pages", backoff=Backoff(first=0.001, most=0.001, attempts_while_away=1)) as erp:
        erp.desk.refuse = 5
        seeded = [await erp.seed(situation(invoice(lines=DEAR))) for _ in range(5)]
        late = await erp.seed(situation(invoice(lines=DEAR)))
        await erp.desk.until(late.vendor_id, 1)
        found: list[str] = []
        cursor = ""
        for _ in range(3):
            page = await erp.get(f"/events/dead-letters?limit=2{cursor}")
            found += [one["subject"] for one in page["items"]]
            cursor = f"&cursor={page['next']}"
        assert found == [one.exception("PRICE_VARIANCE") for one in seeded]
        assert page["next"] is None
        bad = await erp.office.get("/events/dead-letters?cursor=bm8", headers=erp.headers("desk"))
        assert bad.status_code == 400


@pytest.mark.parametrize("url", ["ftp://x/in", "http://", "//x", "http://a:b@x/in", "http://x/in#part", "x", ""])
async def test_a_receiver_is_an_http_address(erp: RunningErp, url: str) -> None:
    refused = await erp.post("/subscriptions", by="grace.hall", url=url)
    assert (refused.status_code, refused.json()["code"]) == (400, "INVALID_REQUEST")


async def test_who_receives_is_for_managers_and_controllers_to_say(erp: RunningErp) -> None:
    for who in ("emma.lind", "anna.keller", "kira.stone", "desk"):
        assert (await erp.post("/subscriptions", by=who, url="http://x.example/in")).status_code == 403
    configured = await erp.office.delete("/subscriptions/webhook", headers=erp.headers("grace.hall"))
    assert (configured.status_code, configured.json()["code"]) == (409, "IN_SETTINGS")
    unknown = await erp.office.delete(f"/subscriptions/{new_id()}", headers=erp.headers("grace.hall"))
    assert unknown.status_code == 404


async def test_there_are_few_receivers(erp_postgres: Path) -> None:
    await new_database(erp_postgres, "few")
    async with running(erp_postgres, "few") as erp:
        seeded = await erp.seed(situation(invoice(lines=DEAR)))
        await erp.desk.until(seeded.vendor_id, 1)
        made = [await erp.post("/subscriptions", by="grace.hall", url="http://desk/nowhere") for _ in range(8)]
        assert [one.status_code for one in made] == [201] * 7 + [409]


# the feed


@asynccontextmanager
async def following(
    address: str, erp: RunningErp, *, after: str | None = None, last: str | None = None, token: str | None = None
) -> AsyncIterator[AsyncIterator[ServerSentEvent]]:
    headers = {"Authorization": f"Bearer {token or erp.token('desk')}"} | (
        {} if last is None else {"Last-Event-ID": last}
    )
    params = {} if after is None else {"after": after}
    url = f"{address}/events/stream"
    async with (
        httpx.AsyncClient(timeout=20) as http,
        aconnect_sse(http, "GET", url, headers=headers, params=params) as source,
    ):
        assert source.response.status_code == 200
        assert source.response.headers["content-type"].startswith("text/event-stream")
        yield source.aiter_sse()


async def end_of_feed(erp: RunningErp) -> str:
    cursor = ""
    while True:
        page = await erp.get(f"/events?limit=200{cursor}")
        if not page["items"]:
            return str(page["next"])
        cursor = f"&after={page['next']}"


async def test_who_follows_the_feed_hears_each_event_once_as_it_comes_and_goes_on_where_it_was(
    erp: RunningErp,
) -> None:
    async with served(office(erp.erp, erp.issuer.verifier())) as address:
        end = await end_of_feed(erp)
        first = await erp.seed(situation(invoice(lines=DEAR)))
        async with following(address, erp, after=end) as events:
            heard = [await anext(events)]
            second = await erp.seed(situation(invoice(lines=DEAR)))
            async with asyncio.timeout(20):
                heard.append(await anext(events))
        said = [json.loads(one.data) for one in heard]
        assert [one["data"]["vendor_id"] for one in said] == [first.vendor_id, second.vendor_id]
        assert [one.event for one in heard] == [one["type"] for one in said]
        await erp.send("reject", await second.invoice(), by="grace.hall")
        async with following(address, erp, after=end, last=heard[0].id) as events:
            again = [json.loads((await anext(events)).data) for _ in range(3)]
        assert again[0] == said[1]
        assert [one["type"].rpartition(".")[2] for one in again[1:]] == ["resolved", "changed"]


async def test_the_feed_and_the_stream_are_one(erp: RunningErp) -> None:
    async with served(office(erp.erp, erp.issuer.verifier())) as address:
        end = await end_of_feed(erp)
        await asyncio.gather(*(erp.seed(situation(invoice(lines=DEAR))) for _ in range(10)))
        page = await erp.get(f"/events?limit=200&after={end}")
        async with following(address, erp, after=end) as events:
            heard = [await anext(events) for _ in page["items"]]
        assert [json.loads(one.data) for one in heard] == page["items"]
        assert heard[-1].id == page["next"]


async def test_a_stream_ends_with_its_token(erp: RunningErp) -> None:
    end = await end_of_feed(erp)
    async with served(office(erp.erp, erp.issuer.verifier())) as address:
        short = erp.issuer.token(sub="s", preferred_username="kira.stone", realm_access={"roles": ["auditor"]}, lives=2)
        async with following(address, erp, after=end, token=short) as events:
            heard = asyncio.ensure_future(_all(events))
            await asyncio.wait([heard], timeout=30)
            assert heard.done(), "the stream went on for 30 s"
            assert heard.result() == []


async def _all(events: AsyncIterator[ServerSentEvent]) -> list[ServerSentEvent]:
    return [one async for one in events]


async def test_without_a_token_nobody_follows(erp: RunningErp) -> None:
    assert (await erp.office.get("/events/stream")).status_code == 401
    bad = await erp.office.get("/events/stream?after=nonsense!", headers=erp.headers("desk"))
    assert bad.status_code == 400


async def test_every_seed_reaches_each_receiver_once_more_when_it_is_sent_again(erp: RunningErp) -> None:
    """M-22: whoever receives must know an event again by its id, which never changes."""
    other = Other()
    async with subscribed(erp, other):
        seeded: Seeded = await erp.seed(situation(invoice(lines=DEAR)))
        (event,) = await other.until(1)
        await erp.stage.post(f"/stage/events/{event['id']}/redeliver")
        assert await other.until(2) == [event, event]
        assert await erp.desk.until(seeded.vendor_id, 2) == [event, event]
