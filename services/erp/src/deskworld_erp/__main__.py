"""`python -m deskworld_erp`: both doors and the dispatcher in one process, settings from the environment."""

import asyncio
import contextlib
import sys

import uvloop

from deskworld_erp.app import AUDIENCE, office
from deskworld_erp.erp import Erp
from deskworld_erp.events.tables import WEBHOOK
from deskworld_erp.invoicing.hold_dates import HoldDates
from deskworld_erp.invoicing.tolerances import LoadedTolerances, TolerancesInvalid, load_tolerances
from deskworld_erp.settings import ErpSettings
from deskworld_erp.stage_door import stage
from deskworld_kit import http
from deskworld_kit.database import database
from deskworld_kit.dispatcher import Receiver
from deskworld_kit.dispatchers import Dispatchers
from deskworld_kit.identity import TokenVerifier
from deskworld_kit.identity_keys import IssuerKeys, KeyTimes
from deskworld_kit.lending import LeanEngine
from deskworld_kit.rates import Rates
from deskworld_kit.serve import listening, serve
from deskworld_kit.telemetry.logs import configure_logging

CONNECTIONS = 20
"""All are kept: one that is opened for a single request costs more than what it is opened for."""


async def run(settings: ErpSettings, tolerances: LoadedTolerances) -> None:
    async with contextlib.AsyncExitStack() as stack:
        lent = LeanEngine.of(database(settings.database_url, pool=CONNECTIONS, overflow=0).engine)
        stack.push_async_callback(lent.dispose)
        keys = await stack.enter_async_context(http.client())
        webhook = settings.webhook_url and Receiver(WEBHOOK, settings.webhook_url, settings.webhook_secret)
        dispatchers = Dispatchers(
            dsn=settings.database_url,
            http=lambda: http.client(timeout=10.0),
            seed=settings.webhook_url or "",
            configured=webhook or None,
            configured_name=WEBHOOK,
        )
        sending = asyncio.create_task(dispatchers.run())
        stack.push_async_callback(_end, sending)
        issuer_keys = IssuerKeys(settings.oidc_jwks_url, keys, KeyTimes(fresh=settings.oidc_keys_seconds))
        erp = Erp(
            connections=lent,
            tolerances=tolerances.values,
            tolerances_digest=tolerances.digest,
            enforce=settings.authority == "enforce",
            dispatchers=dispatchers,
            call_back_trusted_days=settings.call_back_trusted_days,
            rates=Rates(per_second=settings.rate_per_second, burst=settings.rate_burst),
            keys=issuer_keys,
        )
        stack.push_async_callback(_end, asyncio.create_task(HoldDates(erp).run()))
        verifier = TokenVerifier(issuer=settings.oidc_issuer, audience=AUDIENCE, keys=issuer_keys)
        doors = {"office": office(erp, verifier), "stage": stage(erp, settings.stage_secret)}
        if settings.metrics:
            from deskworld_kit.telemetry.metrics import Metrics, at_the_stage  # noqa: PLC0415 - off, it is not imported

            at_the_stage(Metrics(), doors, settings.stage_secret)
        await serve(
            [
                *listening("office", doors["office"], settings.office_bind),
                *listening("stage", doors["stage"], settings.stage_bind),
            ]
        )


async def _end(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait([task])


def main() -> None:
    settings = ErpSettings.from_environment()
    configure_logging("erp", settings.log_level)
    try:
        tolerances = load_tolerances(settings.tolerances)
    except TolerancesInvalid as error:
        sys.stderr.write(f"{error}\n")
        raise SystemExit(2) from None
    uvloop.run(run(settings, tolerances))


if __name__ == "__main__":
    main()
