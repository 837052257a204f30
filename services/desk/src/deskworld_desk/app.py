"""The one place where the desk is wired: who listens where, who works in the background, what is shared."""

import random
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial

import httpx
from fastapi import FastAPI

from deskworld_desk.agent_door.app import agent_door
from deskworld_desk.agent_door.mcp_gate import McpGate, mcp_routes
from deskworld_desk.agent_door.toolset import Toolset
from deskworld_desk.background import Alarm, Background, Sweep, one_by_one
from deskworld_desk.cases.deadlines import resume_deadlines
from deskworld_desk.cases.docket import Dockets
from deskworld_desk.cases.resuming import resume
from deskworld_desk.decisions.carrying import resume_decisions, settle
from deskworld_desk.desk import Desk
from deskworld_desk.health import Ear, checks
from deskworld_desk.inbox import Inbox
from deskworld_desk.letters.arriving import Arrivals, resume_mail
from deskworld_desk.letters.keeping import last_position, set_aside_unread, take_mail
from deskworld_desk.letters.sending import deliver, resume_letters
from deskworld_desk.mail.listener import Listener
from deskworld_desk.mail.sender import Sender
from deskworld_desk.policy_client import PolicyClient
from deskworld_desk.quarantine.reader import Reader, chosen
from deskworld_desk.settings import DeskSettings
from deskworld_desk.stage_door import stage
from deskworld_desk.telemetry import telemetry, watch_doors
from deskworld_desk.timeline.reading import last_cursor, replay
from deskworld_desk.timeline.stream import Broadcast, Published
from deskworld_desk.turns.ending import resume_turns
from deskworld_desk.turns.leases import Leases
from deskworld_desk.turns.pausing import hold_while_paused
from deskworld_desk.turns.rounds import Rounds
from deskworld_desk.turns.turnstile import Turnstile
from deskworld_desk.workbench.app import office
from deskworld_desk.workbench.pages.app import pages
from deskworld_desk.workbench.pages.bench import Workbench
from deskworld_desk.workbench.pages.render import Renderer
from deskworld_desk.workbench.pages.sessions import Sessions
from deskworld_desk.world import World
from deskworld_desk.worlds.ap.erp_client import ErpClient
from deskworld_desk.worlds.ap.world import accounts_payable
from deskworld_kit.health import Health
from deskworld_kit.http import client
from deskworld_kit.identity import ServiceAccount, TokenVerifier
from deskworld_kit.identity_code import CodeFlow, Provider
from deskworld_kit.identity_keys import IssuerKeys, KeyTimes
from deskworld_kit.sessions import lean_database

MakeWorld = Callable[[ErpClient, PolicyClient], World]
WORLDS: Mapping[str, MakeWorld] = {"ap": accounts_payable}
OFFICE_AUDIENCE, AGENT_AUDIENCE = "desk", "desk-agent"
WORKBENCH_CLIENT = "workbench"
KNOCKING_SECONDS = 3.0
"""How long the ERP and the policy service may be away, as they are when they restart, before anything here fails."""


@dataclass(frozen=True, slots=True)
class Doors:
    office: FastAPI
    stage: FastAPI
    agent: FastAPI


@asynccontextmanager
async def opened(settings: DeskSettings, reader: Reader | None = None) -> AsyncIterator[Doors]:
    """The desk at work; when the block ends, what it does in the background ends too, and rows keep what is left."""
    async with AsyncExitStack() as stack:
        db = lean_database(settings.database_url, pool=8, overflow=32)
        stack.push_async_callback(db.close)
        http = await stack.enter_async_context(client())
        erp = await stack.enter_async_context(_persistent(settings.erp_url))
        policy = PolicyClient(await stack.enter_async_context(_persistent(settings.policy_url)))
        account = ServiceAccount(
            token_url=settings.token_url, client_id="desk", secret=settings.client_secret, http=http
        )
        erp_client = ErpClient(erp, account)
        worlds = {name: make(erp_client, policy) for name, make in WORLDS.items()}
        names = {name: world.names for name, world in worlds.items()}
        async with db.transaction() as session:
            last = await last_cursor(session)

        async def fill(first: int, final: int) -> Published:
            async with db.snapshot() as session:
                return await replay(session, first, final, names)

        async def due() -> None:
            await take_up(desk)

        told = stack.enter_context(telemetry(settings))
        broadcast, background = Broadcast(last=last, fill=fill), Background()
        sweep = Sweep(background, due, name="sweep")
        desk = Desk(
            db=db,
            dockets=Dockets(db=db, broadcast=broadcast, names=names, on_outage=sweep),
            broadcast=broadcast,
            worlds=worlds,
            policy=policy,
            reader=await stack.enter_async_context(chosen(settings.read_by)) if reader is None else reader,
            turnstile=Turnstile(),
            leases=Leases(),
            rounds=Rounds(),
            background=background,
            alarm=Alarm(),
            outgoing=Inbox(),
            incoming=Inbox(),
            unsettled=Inbox(),
            # a subject's token lets a mail into a case: it must not be guessable, and never come twice
            random=random.SystemRandom(),
            mail_address=settings.mail_address,
            build=settings.build,
            watch=told.watch,
        )
        stack.callback(desk.alarm.stop)
        stack.push_async_callback(desk.background.stop)
        sender, ear = _sender(settings), Ear()
        stack.push_async_callback(sender.close)
        await _start_work(desk, settings, sender, ear)
        keys = IssuerKeys(settings.oidc_jwks_url, http, KeyTimes(fresh=settings.oidc_keys_seconds))
        others = {"erp": erp_client.check, "identity": keys.asked}
        health = Health(checks(db, policy, ear, sender, others=others, worlds=worlds))
        doors = _doors(desk, settings, http, keys, health)
        watch_doors({"office": doors.office, "stage": doors.stage, "agent": doors.agent}, desk, settings, told)
        yield doors


def _persistent(base_url: str) -> httpx.AsyncClient:
    return client(base_url=base_url.rstrip("/"), knocking=KNOCKING_SECONDS, limits=httpx.Limits(max_connections=200))


async def take_up(desk: Desk) -> None:
    """What stands in rows as due and nobody works on: left by a restart, or by an outage of the database."""
    async with desk.db.transaction() as session:
        head = await last_cursor(session)
    await desk.broadcast.catch_up(head)
    for resuming in (resume, resume_turns, resume_letters, resume_decisions, resume_mail, resume_deadlines):
        await resuming(desk)


def _sender(settings: DeskSettings) -> Sender:
    return Sender(
        settings.smtp_host,
        settings.smtp_port,
        settings.smtp_login,
        settings.smtp_password,
        ca_file=settings.mail_ca_file,
    )


async def _start_work(desk: Desk, settings: DeskSettings, sender: Sender, ear: Ear) -> None:
    await hold_while_paused(desk)
    await take_up(desk)
    listener = Listener(
        host=settings.imap_host,
        port=settings.imap_port,
        login=settings.imap_login,
        password=settings.imap_password,
        position=partial(last_position, desk),
        on_message=partial(take_mail, desk),
        on_poison=partial(set_aside_unread, desk),
        on_state=ear.told,
        size_limit=settings.mail_size_limit,
    )
    start = desk.background.start
    start(one_by_one(desk.outgoing.take, partial(deliver, desk, sender), name="letter"), name="post")
    start(one_by_one(desk.incoming.take, Arrivals(desk).work, name="mail"), name="incoming mail")
    start(one_by_one(desk.unsettled.take, partial(settle, desk), name="decision"), name="unsettled decisions")
    start(listener.run(), name="mailbox")


def _doors(desk: Desk, settings: DeskSettings, http: httpx.AsyncClient, keys: IssuerKeys, health: Health) -> Doors:
    def verifier(audience: str) -> TokenVerifier:
        return TokenVerifier(issuer=settings.oidc_issuer, audience=audience, keys=keys)

    people = verifier(OFFICE_AUDIENCE)
    sessions = Sessions(
        CodeFlow(_provider(settings), verifier(WORKBENCH_CLIENT), http),
        people,
        secret=settings.client_secret,
        issuer=settings.oidc_issuer,
        public_url=settings.office_url,
    )
    workbench = pages(Workbench(desk, sessions, Renderer(issuer=settings.oidc_issuer), settings.office_url))
    return Doors(
        office=office(desk, people, settings.webhook_secret, health, workbench, settings.stack),
        stage=stage(desk, settings.stage_secret, health),
        agent=_agent_door(desk, settings, verifier(AGENT_AUDIENCE), health),
    )


def _agent_door(desk: Desk, settings: DeskSettings, agents: TokenVerifier, health: Health) -> FastAPI:
    toolset = Toolset(desk)
    gate = McpGate(toolset, agents, desk.background)
    return agent_door(toolset, agents, health, mcp_routes(gate, settings.oidc_issuer))


def _provider(settings: DeskSettings) -> Provider:
    """The endpoints of docs/doors.md: a browser goes by the issuer's name, the desk by its own way."""
    endpoints = f"{settings.oidc_issuer}/protocol/openid-connect"
    return Provider(
        issuer=settings.oidc_issuer,
        authorization=f"{endpoints}/auth",
        end_session=f"{endpoints}/logout",
        token=settings.token_url,
        client_id=WORKBENCH_CLIENT,
    )
