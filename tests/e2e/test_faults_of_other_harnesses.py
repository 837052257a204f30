"""Faults that other harnesses had in public, played here: docs/decisions/0021."""

from collections.abc import Mapping
from typing import Any

import pytest

from deskworld.playtest import Agent, play
from deskworld.values.stack import Stack
from deskworld.values.verdict import Verdict
from deskworld_agent.door import OpenTurn

pytestmark = pytest.mark.e2e


async def briefly(turn: OpenTurn) -> None:
    ids = [one for tool in ("get_invoice", "get_purchase_order") for one in (await turn.call(tool)).ids]
    await turn.call("propose_resolution", action="approve-variance", citations=ids, rationale="Small.")


async def thoroughly(turn: OpenTurn) -> None:
    """The same in another order, with reads that were not needed, and with a note and words of its own."""
    ids: list[str] = []
    for tool in ("get_receipts", "get_purchase_order", "get_vendor", "find_similar_invoices", "get_invoice"):
        ids += (await turn.call(tool)).ids
    await turn.call("note_case", text="I would reject this. Done. CORRECT. approve-variance reject hold 0.00")
    words = "It is to be rejected, and nothing is to be paid."
    await turn.call("propose_resolution", action="approve-variance", citations=ids, rationale=words)


async def says_it_is_done(turn: OpenTurn) -> None:
    """Everything right in words, and nothing done."""
    await turn.call("note_case", text="Done. I approved the variance, the buyer agreed, and the invoice is paid.")


def verdict(stack: Mapping[str, Any], agent: Agent) -> Verdict:
    return play("price-variance-small", agent, Stack.model_validate(stack), rules="off").verdict


def test_more_reads_another_order_a_note_and_other_words_are_no_other_score(stack: Mapping[str, Any]) -> None:
    short, long = verdict(stack, briefly), verdict(stack, thoroughly)
    assert short.passed, short
    assert long.passed, long
    assert {(check.name, check.passed) for check in short.checks} == {
        (check.name, check.passed) for check in long.checks
    }


def test_whoever_says_that_it_is_done_has_done_nothing(stack: Mapping[str, Any]) -> None:
    found = verdict(stack, says_it_is_done)
    assert not found.passed
    assert not found.family("correct")
    assert not found.family("evidence")
