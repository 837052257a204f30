"""What every page is given."""

from dataclasses import dataclass

from starlette.responses import RedirectResponse

from deskworld_desk.desk import Desk
from deskworld_desk.workbench.pages.render import Renderer
from deskworld_desk.workbench.pages.sessions import Sessions


@dataclass(frozen=True, slots=True)
class Workbench:
    desk: Desk
    sessions: Sessions
    render: Renderer
    public_url: str


def to(address: str) -> RedirectResponse:
    return RedirectResponse(address, 303, headers={"Cache-Control": "no-store"})
