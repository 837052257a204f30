"""`harness play`: somebody sits at a terminal in a person's place, or in the agent's, and the rest is played."""

import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support.pseudo_terminal import Screen, screen

pytestmark = pytest.mark.e2e
ASKED = r"^tool \{.*\} \(empty: the turn ends; \?: what the tools do\)$"
HARNESS = [sys.executable, "-c", "from deskworld.cli import main; main()", "play"]


@pytest.fixture(scope="module")
def stack_file(stack: Mapping[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("by-hand") / "stack.json"
    file.write_text(json.dumps(stack))
    return file


@contextmanager
def at(stack_file: Path, scenario: str, who: str, *options: str) -> Iterator[Screen]:
    command = [*HARNESS, scenario, "--as", who, "--stack", str(stack_file), *options]
    with screen(command, cwd=stack_file.parent, env=os.environ) as shown:
        shown.reads("the case is under way")
        yield shown


def test_a_vendor_reads_the_letter_and_answers_in_their_own_words(stack_file: Path) -> None:
    with at(stack_file, "no-po", "vendor") as shown:
        shown.reads(r"^ap@v-\S+: ap@v-\S+ answers letter 1$")
        shown.reads("Which purchase order number was it delivered under")
        shown.reads(r"your words \(empty: .+; \. for silence\)$")
        shown.types("Hello, one of your people ordered this by telephone and gave no order number. Regards")
        shown.reads("^no-po seed 7: passed$")
        assert shown.ends() == 0


def test_a_vendor_who_says_nothing_ends_the_case_as_it_stands(stack_file: Path) -> None:
    with at(stack_file, "no-po", "vendor") as shown:
        shown.reads(r"your words \(")
        shown.types(".")
        shown.reads("^no-po seed 7: failed$")
        shown.reads("^  correct, outcome-acceptable: expected hold decided by clerk")
        assert shown.ends() == 1


def test_a_buyer_is_asked_and_an_empty_line_answers_as_scripted(stack_file: Path) -> None:
    with at(stack_file, "buyer-denies", "buyer") as shown:
        shown.reads("Was the higher price agreed with the vendor")
        shown.reads(r"your words \(empty: No, .+; \. for silence\)$")
        shown.types("")
        shown.reads("^buyer-denies seed 7: passed$")
        assert shown.ends() == 0


def test_a_decider_sees_the_proposal_and_decides_in_words_that_are_understood(stack_file: Path) -> None:
    with at(stack_file, "price-variance-small", "decider") as shown:
        shown.reads('"action": "approve-variance"')
        shown.reads('"rationale": ')
        shown.reads(r"approve, or decline and why \(empty: approve; \. for silence\)$")
        shown.types("maybe")
        shown.reads("^maybe is no decision$")
        shown.types("decline Nobody agreed to this price.")
        # what the clerks decide then is asked of the same person at the terminal
        while shown.reads(r"approve, or decline and why|^price-variance-small seed 7: (\w+)$")[1] is None:
            shown.types("approve")
        assert shown.ends() == 1


def test_whoever_takes_the_agents_place_reads_and_proposes(stack_file: Path) -> None:
    with at(stack_file, "price-variance-small", "agent") as shown:
        shown.reads("^told: .*PRICE_VARIANCE")
        shown.reads(ASKED)
        shown.types("?")
        shown.reads(r"^propose_resolution: .*\"rationale\"")
        shown.types("get_invoice {")
        shown.reads("^that is no JSON")
        ids = []
        for tool in ("get_invoice", "get_purchase_order"):
            shown.reads(ASKED)
            shown.types(tool)
            ids += json.loads(shown.reads(r'"ids": (\[[^]]+\])')[1])
        shown.reads(ASKED)
        proposal = {"action": "approve-variance", "citations": ids, "rationale": "Small, and the buyer's to say."}
        shown.types(f"propose_resolution {json.dumps(proposal)}")
        shown.reads('"outcome": "OK"')
        shown.reads(ASKED)
        shown.types("")
        shown.reads("^price-variance-small seed 7: passed$")
        assert shown.ends() == 0


def test_ctrl_c_at_a_question_ends_it_at_once(stack_file: Path) -> None:
    with at(stack_file, "price-variance-small", "decider") as shown:
        shown.reads("approve, or decline and why")
        shown.presses_ctrl_c()
        assert shown.ends(within=20) == 3
