"""What each command about a stack does and prints: made ready, started, stopped, looked at."""

import asyncio
import os
from asyncio.subprocess import DEVNULL
from collections.abc import Iterable
from pathlib import Path

from rich.console import Console

from deskworld import health
from deskworld.errors import ExitCode, StackUnavailable
from deskworld.stack import choose, compose, dotenv, embedded, files, holding, logs
from deskworld.values.realm import PEOPLE
from deskworld.values.stack import Stack

POLICIES = Path(__file__).parents[3] / "policies"


async def init(folder: Path | None, port_base: int, *, out: Console) -> int:
    """Random secrets for the compose stack, before its first start."""
    home = folder or dotenv.home(Path.cwd()) or Path.cwd()
    path = dotenv.write(home, compose.fresh_settings(port_base))
    out.print(f"{path} holds a secret for each lock and ports from {port_base} on; keep it out of the repository")
    out.print("next: `docker compose up -d --wait`, then `harness run` from here", highlight=False)
    return ExitCode.PASS


async def up(name: str, port_base: int | None, *, out: Console) -> int:
    path = files.running_file(name)
    if path.exists() and embedded.is_running(files.read(path)):
        raise StackUnavailable(f"a stack {name!r} is running already", next_step="`harness status`, `harness down`")
    fixed = () if port_base is None else ("--port-base", str(port_base))
    stack = await embedded.start_detached(name, fixed)
    files.write(stack, path)
    out.print(f"stack {stack.id} is up; its file is {path}", highlight=False, soft_wrap=True)
    _print_addresses(stack, out)
    _print_people(stack, out)
    return ExitCode.PASS


async def down(name: str, *, out: Console) -> int:
    path = files.running_file(name)
    if not path.exists():
        raise StackUnavailable(f"no stack {name!r} was started with `harness up`", next_step="`harness up`")
    stack = files.read(path)
    ended = await embedded.stop(stack)
    path.unlink(missing_ok=True)
    out.print(f"stack {stack.id} {'is stopped' if ended else 'was down already'}", highlight=False)
    return ExitCode.PASS


async def status(given: Path | None, *, save: Path | None = None, out: Console) -> int:
    stack = (await _running(given)).stack
    if save is not None:
        files.write(stack, save)
    examined = await health.examine(stack, _policies(stack))
    out.print(f"stack {stack.id} ({stack.kind})", highlight=False)
    for one in examined:
        out.print(f"  {'well  ' if one.well else 'UNWELL'} {one.part}", highlight=False)
    return ExitCode.PASS if all(one.well for one in examined) else ExitCode.BROKEN


async def doctor(given: Path | None, *, out: Console) -> int:
    """Examines the stack that is given or running; with none, starts one to examine."""
    if await choose.found(given) is None:
        _print_taken_ports(out)
    async with choose.chosen(given) as chosen:
        out.print(f"stack: {chosen.why}", highlight=False, soft_wrap=True)
        examined = await health.examine(chosen.stack, _policies(chosen.stack))
        for one in examined:
            _print_line(f"{'well  ' if one.well else 'UNWELL'} {one.part}: {one.said}", one.next_step, out)
        await _print_memory(chosen.stack, out)
    return ExitCode.PASS if all(one.well for one in examined) else ExitCode.BROKEN


async def log(part: str | None, given: Path | None, lines: int, *, follow: bool, out: Console) -> int:
    found = logs.logs_of((await _running(given)).stack, part)
    if follow:
        return await _follow(found.values(), lines)
    for name, path in found.items():
        if len(found) > 1:
            out.print(f"── {name} {path}", highlight=False, soft_wrap=True)
        for line in logs.last(path, lines):
            out.print(line, markup=False, highlight=False, soft_wrap=True)
    return ExitCode.PASS


async def _follow(paths: Iterable[Path], lines: int) -> int:
    """`tail` writes straight to the terminal until it is interrupted; it also follows a log that starts anew."""
    given = [str(path) for path in paths]
    process = await asyncio.create_subprocess_exec("tail", "-n", str(lines), "-F", *given, stdin=DEVNULL)
    try:
        await process.wait()
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()
    return ExitCode.PASS


async def _running(given: Path | None) -> choose.Chosen:
    found = await choose.found(given)
    if found is None:
        raise StackUnavailable("no stack is running", next_step="`harness up` or `docker compose up -d` starts one")
    return found


def _policies(stack: Stack) -> Path | None:
    """What should be in force: this checkout's, but for a stack that somebody else runs with policies of their own."""
    home = dotenv.home(Path.cwd())
    given = dotenv.settings(home, os.environ).get("DESKWORLD_POLICIES")
    folder = (home or Path.cwd()) / given if given else POLICIES
    return folder if folder.is_dir() and stack.kind != "given" else None


def _print_taken_ports(out: Console) -> None:
    """Where a compose stack could be started, whatever stands in its way."""
    home = dotenv.home(Path.cwd())
    if home is None:
        return
    settings = dotenv.settings(home, os.environ)
    for one in holding.taken(compose.ports(settings), compose.host(settings)):
        name = f"DESKWORLD_PORT_{one.door.upper()}"
        _print_line(
            f"note   port taken: {one.port}, which Compose wants for {one.door}, is held by {one.by}",
            f"end that program, or set {name} in {home / '.env'}; `docker compose ps` says whether it is Compose's own",
            out,
        )


def _print_line(said: str, next_step: str, out: Console) -> None:
    out.print(said, markup=False, highlight=False, soft_wrap=True)
    if next_step:
        out.print(f"       next: {next_step}", markup=False, highlight=False, soft_wrap=True)


def _print_addresses(stack: Stack, out: Console) -> None:
    for part, where in (
        ("ERP", stack.erp),
        ("desk", stack.desk),
        ("agent door", stack.agent_door),
        ("identity", stack.issuer),
        ("policy", stack.policy),
        ("SMTP", f"{stack.smtp.host}:{stack.smtp.port}"),
        ("IMAP", f"{stack.imap.host}:{stack.imap.port}"),
        ("logs", stack.logs or "–"),
    ):
        out.print(f"  {part:<11}{where}", highlight=False, soft_wrap=True)


def _print_people(stack: Stack, out: Console) -> None:
    out.print(f"people, each with the password {stack.secrets.people}", markup=False, highlight=False)
    for role, names in PEOPLE.items():
        out.print(f"  {role:<11}{', '.join(names)}", highlight=False, soft_wrap=True)


async def _print_memory(stack: Stack, out: Console) -> None:
    if stack.kind != "embedded":
        return
    parts = await embedded.measured(stack)
    total = parts.pop("total")["pss_mb"]
    listed = ", ".join(f"{name} {part['pss_mb']:.0f}" for name, part in parts.items())
    out.print(f"memory: {total:.0f} MB in all ({listed})", highlight=False, soft_wrap=True)
