"""The stage door: it steers the simulation. Its own port, its own secret, no office token."""

from typing import Annotated

from fastapi import APIRouter, Depends, FastAPI, Path

from deskworld_erp.app import described_office, slices
from deskworld_erp.described import DETAILS, REFUSALS, VALUES
from deskworld_erp.erp import Erp, StagedPerson
from deskworld_erp.faults.routes import routes as fault_routes
from deskworld_erp.fields import Short
from deskworld_erp.health import health_of
from deskworld_erp.situations.office import routes as office_time_routes
from deskworld_erp.situations.reset import routes as reset_routes
from deskworld_erp.situations.routes import routes as situation_routes
from deskworld_kit.description import Described
from deskworld_kit.door import door
from deskworld_kit.health import health_router
from deskworld_kit.identity import Principal
from deskworld_kit.stage import stage_secret

AS = "/as/{username}"
DESCRIBED = Described(
    title="Deskworld ERP, stage door",
    about="Steers the simulation: seeds situations, moves office time, injects faults, and tells what happened. Under "
    "`/stage/as/{username}` stands the whole office door, acting for that person without a token and without faults.",
    credential="The stage's own secret. An office token opens nothing here.",
    refusals=REFUSALS,
    details=DETAILS,
    values=VALUES,
)


def stage(erp: Erp, secret: str) -> FastAPI:
    routes = APIRouter(prefix="/stage", dependencies=[Depends(stage_secret(secret))])
    office_routes = described_office(erp).templates
    routes.include_router(situation_routes(erp, office_routes))
    routes.include_router(reset_routes(erp))
    routes.include_router(office_time_routes(erp))
    routes.include_router(fault_routes(erp, office_routes))
    for one in slices(erp, _staged):
        routes.include_router(one, prefix=AS)
    return door(DESCRIBED, [health_router(health_of(erp)), routes])


async def _staged(username: Annotated[Short, Path(description="who acts", examples=["emma.lind"])]) -> Principal:
    return StagedPerson(subject=f"stage:{username}", username=username, client="stage")
