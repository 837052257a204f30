"""A door on a socket under schemathesis: every route of its description, with all checks, from one seed."""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, STDOUT
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

PHASES = ("examples", "coverage", "fuzzing", "stateful")
CONFIG = Path(__file__).with_name("schemathesis.toml")
PARAMETERS = "[parameters]\n"
HOOKS = str(Path(__file__).with_name("schemathesis_hooks.py"))


@dataclass(frozen=True, slots=True)
class Fuzzed:
    found_nothing: bool
    said: str


async def fuzz(
    address: str,
    credential: str,
    *,
    seed: int,
    examples: int,
    phases: Sequence[str] = PHASES,
    without: str = "",
    known: Mapping[str, str] | None = None,
    within: float = 600.0,
) -> Fuzzed:
    """All checks, as `schemathesis.toml` sets them. `without`: a pattern of paths that are left out; what never ends
    (server-sent events) has no answer to check and always is. `known`: parameters that always have this value, such as
    `path.case_id`. Raises TimeoutError."""
    left_out = "|".join(("/events/stream$", *([without] if without else ())))
    command = [
        Path(sys.executable).parent / "st",
        "--config-file", CONFIG.name,
        "run", f"{address}/openapi.json",
        "--header", f"Authorization: Bearer {credential}",
        "--phases", ",".join(phases),
        "--max-examples", str(examples),
        "--seed", str(seed),
        "--exclude-path-regex", left_out,
        "--generation-database", "none",
        "--continue-on-failure",
        "--request-timeout", "60",
        "--no-color",
    ]  # fmt: skip
    with TemporaryDirectory() as folder:
        _configure(Path(folder), known or {})
        process = await asyncio.create_subprocess_exec(
            *map(str, command), stdout=PIPE, stderr=STDOUT, cwd=folder, env={**os.environ, "SCHEMATHESIS_HOOKS": HOOKS}
        )
        try:
            out, _ = await asyncio.wait_for(process.communicate(), within)
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
    return Fuzzed(process.returncode == 0, out.decode(errors="replace"))


def _configure(folder: Path, known: Mapping[str, str]) -> None:
    lines = "".join(f'"{name}" = "{value}"\n' for name, value in known.items())
    (folder / CONFIG.name).write_text(CONFIG.read_text().replace(PARAMETERS, f"{PARAMETERS}{lines}"))
