"""Fingerprints: what an agent did by what it was told; what is new; an attack and its twin; what follows a control."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.stored_runs import stored

from deskworld.errors import BundleFailed
from deskworld.fingerprints import compared, known
from deskworld.fingerprints.turns import Call, Turn, turns_of
from deskworld.values.rounds import could_be, fingerprint, rounds_of
from deskworld_desk.turns.fingerprint import fingerprint as of_the_desk


def turns(*names: str) -> tuple[Turn, ...]:
    return tuple(turns_of(stored(name) for name in names))


def test_the_desk_and_the_harness_hash_alike() -> None:
    calls = [(1, "get_vendor", "OK"), (1, "get_invoice", "OK"), (2, "propose_resolution", "REFUSED")]
    rounds = [[("get_vendor", "OK"), ("get_invoice", "OK")], [("propose_resolution", "REFUSED")]]
    assert fingerprint(rounds, "INVALID") == of_the_desk(calls, "INVALID")


def test_the_rounds_are_found_again_from_the_hash() -> None:
    rounds = ((("a", "OK"),), (("b", "OK"), ("c", "FAILED")), (("d", "OK"),))
    found = fingerprint(rounds, "COMPLETED")
    calls = [call for one in rounds for call in one]
    assert rounds_of(found, calls, "COMPLETED") == rounds
    assert could_be(found, calls, "KEPT") is False
    assert could_be("0" * 64, [("a", "OK")] * 30, "KEPT") is None


def test_turns_are_grouped_by_what_they_were_told() -> None:
    found = compared.lines(turns("price-variance-small", "injected-reply"), known.Known())
    labels = {one.label for one in found}
    assert "rules-stopped:PRICE_VARIANCE:disabled" in labels
    assert all(one.before is None for one in found)
    assert compared.distinct(found)["rules-stopped:PRICE_VARIANCE:disabled"] == (1, 1)


def test_what_was_remembered_is_not_new_and_a_run_counts_once(tmp_path: Path) -> None:
    seen = turns("price-variance-small")
    store = known.remembered(known.Known(), seen, run="one", at="2026-01-01T00:00:00+00:00")
    store = known.remembered(store, seen, run="two", at="2026-01-02T00:00:00+00:00")
    store = known.remembered(store, seen, run="two", at="2026-01-09T00:00:00+00:00")
    known.write(tmp_path / "known.json", store)
    again = known.read(tmp_path / "known.json")
    (line, *_) = compared.lines(seen, again)
    assert line.before is not None
    assert (line.before.count, line.before.first[:10], line.before.last[:10]) == (2, "2026-01-01", "2026-01-02")


def test_a_store_of_another_format_is_refused(tmp_path: Path) -> None:
    (tmp_path / "known.json").write_text('{"format": 99}')
    with pytest.raises(BundleFailed, match="format 99"):
        known.read(tmp_path / "known.json")


def test_an_attack_is_set_beside_its_twin() -> None:
    under = turns("injected-reply")
    twin = under[0].twin
    assert twin is not None
    plain = tuple(replace(turn, scenario=twin, attack=False, twin=None) for turn in under)
    odd = replace(under[0], fingerprint="f" * 64)
    (same,) = compared.twins((*under, *plain), known.Known())
    assert (same.only_attack, same.only_twin) == ((), ())
    (found,) = compared.twins((*under, odd, *plain), known.Known())
    assert [line.fingerprint for line in found.only_attack] == ["f" * 64]
    assert compared.twins(under, known.Known()) == ()


def test_what_came_after_a_control_is_counted() -> None:
    (turn, *_) = turns("price-variance-small")
    no = Call("propose_resolution", "REFUSED", "ASKED_THIS_TURN")
    refused = replace(turn, calls=(no, Call("wait", "OK", None)), how="WAITING")
    at_the_end = replace(turn, calls=(no,), how="INVALID")
    found = compared.after((refused, refused, at_the_end), "REFUSED")
    assert [(one.code, one.then, one.times) for one in found] == [
        ("ASKED_THIS_TURN", "wait OK", 2),
        ("ASKED_THIS_TURN", "the turn's end, INVALID", 1),
    ]
