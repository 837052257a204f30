"""The command line: parse, call, print, exit code. It decides nothing else. A command is a function of its own module,
and a line here."""

import sys

import typer

from deskworld.cli import by_hand, calibration, campaign, catalogue, evidence, fingerprinting, proving, reports, stack
from deskworld.cli.ending import Finished
from deskworld.errors import ExitCode

HELP = (
    "Can this agent work our invoice exceptions? Play it through a small company and read what it did.\n\n"
    "Deskworld is a company with an ERP, a mail server, sign-in, a policy and a desk. `harness run` seeds business "
    "situations there, plays everybody but the agent, and grades each case from the records. `harness report` makes of "
    "it what people read and sign.\n\n"
    "First look: `harness run --smoke`, then `harness report RUN`. To look around yourself: `harness up`."
)
app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help=HELP)
TYPER_USAGE_ERROR = 2

app.command()(campaign.run)
app.command()(by_hand.play)
app.command()(evidence.compare)
app.command()(evidence.rescore)
app.command()(evidence.freeze)
app.command()(reports.report)
app.command()(reports.triage)
app.command()(reports.review)
app.command()(reports.cost)
app.command()(calibration.calibrate)
app.command()(fingerprinting.fingerprints)
app.command()(stack.init)
app.command()(stack.up)
app.command()(stack.down)
app.command()(stack.load)
app.command()(stack.status)
app.command()(stack.doctor)
app.command()(stack.logs)
app.command(name="list")(catalogue.list_)
app.command()(catalogue.show)
app.command()(catalogue.check)
app.command()(proving.prove)
app.command()(proving.schema)


def main() -> None:
    """A call that cannot be understood ends with 3 like every other usage error: 2 means too few runs."""
    try:
        app()
    except Finished as finished:
        sys.exit(finished.code)
    except SystemExit as ended:
        sys.exit(ExitCode.BROKEN if ended.code == TYPER_USAGE_ERROR else ended.code)
