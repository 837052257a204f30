"""Who may import whom: the contracts hold, they cover every module, and each of them bites."""

import configparser
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import grimp
import pytest
from infra.workspace.may_import import MayImport
from tests.support.repository import ROOT, members, python

PACKAGES = tuple(members())


@cache
def contracts() -> Mapping[str, MayImport]:
    written = configparser.ConfigParser()
    written.read(ROOT / ".importlinter")
    return {
        section.rpartition(":")[2]: MayImport(
            name=section,
            session_options={},
            contract_options={
                key: value.split()
                for key, value in written[section].items()
                if key in {"modules", "besides", "allowed", "denied"}
            },
        )
        for section in written.sections()
        if written[section].get("type") == "may_import"
    }


@cache
def graph() -> grimp.ImportGraph:
    return grimp.build_graph(*PACKAGES, include_external_packages=True, cache_dir=None)


def test_the_contracts_hold() -> None:
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-logo", "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_module_has_its_contract() -> None:
    ours = {module for module in graph().modules if module.partition(".")[0] in PACKAGES}
    governed = {module for contract in contracts().values() for module in contract.governed(ours)}
    packages = {module for module in ours - governed if module in PACKAGES}
    assert ours - governed - packages == set()
    assert {name for name in packages if graph().find_modules_directly_imported_by(name)} == set()


def test_no_folder_of_modules_hides_from_the_contracts() -> None:
    # without __init__.py a folder is no package to import-linter, and its modules import what they like
    folders = {path.parent for path in python() if "src" in path.parts and "migrations" not in path.parts}
    assert {str(folder) for folder in folders if not (ROOT / folder / "__init__.py").exists()} == set()


TRESPASSES = [
    ("deskworld.values.case", "deskworld.world"),
    ("deskworld.values.case", "yaml"),
    ("deskworld.errors", "httpx"),
    ("deskworld.compiler", "deskworld.doors.http"),
    ("deskworld.settle", "time"),
    ("deskworld.settle", "asyncio"),
    ("deskworld.scoring.score", "deskworld.play"),
    ("deskworld.statistics.wilson", "socket"),
    ("deskworld.doors.mail", "deskworld.people.script"),
    ("deskworld.doors.http", "deskworld.play"),
    ("deskworld.people.doing", "httpx"),
    ("deskworld.stage", "aiosmtplib"),
    ("deskworld.observe", "socket"),
    ("deskworld.play", "deskworld.run"),
    ("deskworld.report.table", "deskworld.doors.http"),
    ("deskworld.bundle", "httpx"),
    ("deskworld.play", "deskworld.worlds.ap"),
    ("deskworld.scoring.score", "deskworld.worlds.ap.names"),
    ("deskworld.run", "deskworld.cli"),
    ("deskworld.run", "deskworld_kit.clock"),
    ("deskworld.stack.embedded", "deskworld_embedded.life"),
    ("deskworld.agents.oracle", "deskworld_desk.cases"),
    ("deskworld_kit.serve", "deskworld_erp.app"),
    ("deskworld_erp.app", "deskworld_desk.app"),
    ("deskworld_desk.app", "deskworld_erp.app"),
    ("deskworld_desk.app", "deskworld.values.case"),
    ("deskworld_embedded.parts", "deskworld_desk.app"),
    ("deskworld_agent.client", "deskworld_desk.app"),
    ("deskworld_agent.playbook", "deskworld.values.scenario"),
    ("deskworld_agent.playbook", "deskworld_kit.money"),
    ("deskworld_erp.invoicing.rules.match", "sqlalchemy"),
    ("deskworld_erp.invoicing.rules.match", "pydantic"),
    ("deskworld_erp.invoicing.rules.match", "deskworld_kit.database"),
    ("deskworld_erp.invoicing.rules.match", "deskworld_erp.invoicing.tables"),
    ("deskworld_desk.decisions.rules", "fastapi"),
]


@pytest.mark.parametrize(("module", "imported"), TRESPASSES)
def test_a_trespass_is_refused(module: str, imported: str) -> None:
    holding = [contract for contract in contracts().values() if contract.governed([module])]
    assert any(not contract.permits(imported) for contract in holding)


def test_the_contract_lists_what_it_refuses() -> None:
    made = grimp.ImportGraph()
    for module in ("deskworld", "deskworld.settle", "deskworld.doors", "httpx", "deskworld.values"):
        made.add_module(module)
    for imported in ("deskworld.doors", "httpx", "deskworld.values"):
        made.add_import(importer="deskworld.settle", imported=imported, line_number=3, line_contents="import")
    contract = MayImport("settle", {}, {"modules": ["deskworld.settle"], "allowed": ["deskworld.values"]})
    check = contract.check(made, False)
    assert not check.kept
    assert [imported for _, imported, _ in check.metadata["refused"]] == ["deskworld.doors", "httpx"]


def test_a_contract_for_a_module_that_is_gone_is_broken() -> None:
    contract = MayImport("gone", {}, {"modules": ["deskworld.gone"]})
    assert not contract.check(grimp.ImportGraph(), False).kept
