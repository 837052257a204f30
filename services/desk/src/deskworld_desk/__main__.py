"""`python -m deskworld_desk`: three doors in one process, settings from the environment."""

import uvloop

from deskworld_desk.app import opened
from deskworld_desk.settings import DeskSettings
from deskworld_kit.serve import listening, serve
from deskworld_kit.telemetry.logs import configure_logging


async def run(settings: DeskSettings) -> None:
    async with opened(settings) as doors:
        await serve(
            [
                *listening("office", doors.office, settings.office_bind),
                *listening("stage", doors.stage, settings.stage_bind),
                *listening("agent", doors.agent, settings.agent_bind),
            ]
        )


def main() -> None:
    settings = DeskSettings.from_environment()
    configure_logging("desk", settings.log_level)
    uvloop.run(run(settings))


if __name__ == "__main__":
    main()
