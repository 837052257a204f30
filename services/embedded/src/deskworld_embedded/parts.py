"""The seven parts of the embedded stack, as data."""

import json
import os
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from deskworld_embedded import resources
from deskworld_embedded.credentials import Credentials
from deskworld_embedded.folders import Folders
from deskworld_embedded.ports import LOOPBACK, Ports
from deskworld_embedded.postgres.cluster import Cluster
from deskworld_embedded.stack_file import issuer
from deskworld_embedded.supervisor.parts import Module, Part
from deskworld_embedded.supervisor.probes import Accepts, Greeting, Health

_OTHERS_SETTINGS = ("ERP_", "DESK_", "MAIL_", "IDENTITY_", "POLICY_", "PG")
_POSTGRES = frozenset({"postgres"})


@dataclass(frozen=True, slots=True)
class Plan:
    folders: Folders
    ports: Ports
    credentials: Credentials
    cluster: Cluster
    keep_data: bool = False


def environment() -> Mapping[str, str]:
    """What every part gets: ours, without settings that were meant for a service of another stack."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_OTHERS_SETTINGS)}
    own = ",".join(filter(None, (kept.get("NO_PROXY") or kept.get("no_proxy"), LOOPBACK, "localhost")))
    return {**kept, "NO_PROXY": own, "no_proxy": own, "PYTHONUNBUFFERED": "1", "MALLOC_ARENA_MAX": "2"}


def parts(plan: Plan) -> Sequence[Part]:
    """Raises StackFailed when the realm or the policies are not found."""
    return (postgres(plan), mail(plan), identity(plan), policy(plan), erp(plan), desk(plan))


def postgres(plan: Plan) -> Part:
    cluster = plan.cluster

    async def settle() -> None:
        passwords = {"erp_service": plan.credentials.erp_database, "desk_service": plan.credentials.desk_database}
        await cluster.give_passwords(passwords)

    return Part(
        "postgres",
        cluster.server(),
        cluster.log,
        cluster.home,
        environment(),
        probes=(cluster,),
        prepare=cluster.end_old_backends,
        settle=settle,
        # Fast shutdown writes everything to the data folder; immediate shutdown leaves that to the next start.
        stop_signal=signal.SIGINT if plan.keep_data else signal.SIGQUIT,
        orphan_signal=signal.SIGQUIT,
    )


def mail(plan: Plan) -> Part:
    ports, credentials = plan.ports, plan.credentials
    logins = {
        "desk": credentials.desk_mailbox,
        "staff": credentials.staff_mailbox,
        "counterparties": credentials.counterparty_mailbox,
    }
    settings = {
        "MAIL_SMTP_BIND": ports.bind("smtp"),
        "MAIL_SUBMISSION_BIND": ports.bind("submission"),
        "MAIL_IMAP_BIND": ports.bind("imap"),
        "MAIL_FOLDER": str(plan.folders.mail),
        "MAIL_LOGINS": json.dumps(logins),
    }
    probes = (
        Greeting(LOOPBACK, ports.numbers["smtp"], b"220"),
        Greeting(LOOPBACK, ports.numbers["submission"], b"220"),
        Greeting(LOOPBACK, ports.numbers["imap"], b"* OK"),
    )
    return _service(plan, "mail", Module("deskworld_embedded.mail", "web"), settings, probes)


def identity(plan: Plan) -> Part:
    clients = {"desk": plan.credentials.desk_client, "agent": plan.credentials.agent_client}
    settings = {
        "IDENTITY_BIND": plan.ports.bind("identity"),
        "IDENTITY_ISSUER_BASE": plan.ports.url("identity"),
        "IDENTITY_REALM": str(resources.realm_file()),
        "IDENTITY_FOLDER": str(plan.folders.identity),
        "IDENTITY_CLIENT_SECRETS": json.dumps(clients),
    }
    probes = (Health(LOOPBACK, plan.ports.numbers["identity"]),)
    return _service(plan, "identity", Module("deskworld_embedded.identity", "web"), settings, probes)


def policy(plan: Plan) -> Part:
    settings = {"POLICY_BIND": plan.ports.bind("policy"), "POLICY_FOLDER": str(resources.policies())}
    probes = (Health(LOOPBACK, plan.ports.numbers["policy"]),)
    return _service(plan, "policy", Module("deskworld_embedded.policy", "web"), settings, probes)


def erp(plan: Plan) -> Part:
    ports, credentials = plan.ports, plan.credentials
    settings = {
        "ERP_DATABASE_URL": plan.cluster.url("erp_service", credentials.erp_database, "erp"),
        "ERP_OIDC_ISSUER": issuer(ports),
        "ERP_OIDC_JWKS_URL": f"{issuer(ports)}/protocol/openid-connect/certs",
        "ERP_OFFICE_BIND": ports.bind("erp"),
        "ERP_STAGE_BIND": ports.bind("erp_stage"),
        "ERP_STAGE_SECRET": credentials.erp_stage,
        "ERP_WEBHOOK_URL": f"{ports.url('desk')}/hooks/erp",
        "ERP_WEBHOOK_SECRET": credentials.webhook,
        "ERP_METRICS": _asked("DESKWORLD_METRICS", "off"),
    }
    probes = (Health(LOOPBACK, ports.numbers["erp"]), Health(LOOPBACK, ports.numbers["erp_stage"]))
    return _service(plan, "erp", Module("deskworld_erp", "services"), settings, probes, after=_POSTGRES)


def desk(plan: Plan) -> Part:
    ports, credentials = plan.ports, plan.credentials
    settings = {
        "DESK_DATABASE_URL": plan.cluster.url("desk_service", credentials.desk_database, "desk"),
        "DESK_OIDC_ISSUER": issuer(ports),
        "DESK_OIDC_JWKS_URL": f"{issuer(ports)}/protocol/openid-connect/certs",
        "DESK_OFFICE_BIND": ports.bind("desk"),
        "DESK_STAGE_BIND": ports.bind("desk_stage"),
        "DESK_AGENT_BIND": ports.bind("agent_door"),
        "DESK_STAGE_SECRET": credentials.desk_stage,
        "DESK_WEBHOOK_SECRET": credentials.webhook,
        "DESK_ERP_URL": ports.url("erp"),
        "DESK_TOKEN_URL": f"{issuer(ports)}/protocol/openid-connect/token",
        "DESK_CLIENT_SECRET": credentials.desk_client,
        "DESK_POLICY_URL": ports.url("policy"),
        "DESK_SMTP_HOST": LOOPBACK,
        "DESK_SMTP_PORT": str(ports.numbers["submission"]),
        "DESK_SMTP_LOGIN": "desk",
        "DESK_SMTP_PASSWORD": credentials.desk_mailbox,
        "DESK_IMAP_HOST": LOOPBACK,
        "DESK_IMAP_PORT": str(ports.numbers["imap"]),
        "DESK_IMAP_LOGIN": "desk",
        "DESK_IMAP_PASSWORD": credentials.desk_mailbox,
        "DESK_MAIL_ADDRESS": "ap@deskworld.example",
        "DESK_METRICS": _asked("DESKWORLD_METRICS", "off"),
        "DESK_TRACES": _asked("DESKWORLD_TRACES", "off"),
        **_reader(),
    }
    probes = (
        Health(LOOPBACK, ports.numbers["desk"]),
        Health(LOOPBACK, ports.numbers["desk_stage"]),
        Accepts(LOOPBACK, ports.numbers["agent_door"]),
    )
    return _service(plan, "desk", Module("deskworld_desk", "services"), settings, probes, after=_POSTGRES)


def _reader() -> dict[str, str]:
    """Who reads letters, where whoever starts the stack says so."""
    names = ("READER", "READER_MODEL", "READER_URL", "READER_KEY", "READER_SECONDS")
    return {f"DESK_{name}": asked for name in names if (asked := _asked(f"DESKWORLD_{name}", ""))}


def _asked(name: str, otherwise: str) -> str:
    """What whoever starts the stack asks for, under the same name as in compose."""
    return os.environ.get(name) or otherwise


def _service(
    plan: Plan,
    name: str,
    module: Module,
    settings: Mapping[str, str],
    probes: Sequence[Greeting | Health | Accepts],
    after: frozenset[str] = frozenset(),
) -> Part:
    surroundings = {**environment(), **settings}
    return Part(name, module, plan.folders.log(name), plan.folders.root, surroundings, probes=probes, after=after)
