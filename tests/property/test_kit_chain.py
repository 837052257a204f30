from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from deskworld_kit import chain

leaves = st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=12)
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
rows = st.lists(st.dictionaries(st.sampled_from(["kind", "data", "at"]), values, min_size=1), min_size=2, max_size=4)


def chained(contents: list[dict[str, Any]]) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    before = chain.GENESIS
    for seq, content in enumerate(contents, 1):
        row = {**content, "seq": seq, "prev_hash": before}
        before = chain.link(before, row)
        made.append({**row, "hash": before})
    return made


@given(rows)
def test_a_chain_as_it_was_written_holds(contents: list[dict[str, Any]]) -> None:
    assert chain.verify(chained(contents)) is None


@given(rows, st.data())
def test_a_row_taken_out_of_the_middle_shows(contents: list[dict[str, Any]], data: st.DataObject) -> None:
    written = chained(contents)
    gone = data.draw(st.integers(0, len(written) - 2))
    assert chain.verify(written[:gone] + written[gone + 1 :]) == gone


@given(rows, st.data())
def test_a_changed_word_shows_at_its_row(contents: list[dict[str, Any]], data: st.DataObject) -> None:
    written = chained(contents)
    changed = data.draw(st.integers(0, len(written) - 1))
    written[changed]["kind"] = [written[changed].get("kind"), "tampered"]
    assert chain.verify(written) == changed


@given(rows)
def test_two_rows_that_changed_places_show(contents: list[dict[str, Any]]) -> None:
    written = chained(contents)
    written[0], written[1] = written[1], written[0]
    assert chain.verify(written) == 0


@given(st.dictionaries(st.text(max_size=5), values))
def test_a_value_has_one_byte_form_whatever_its_order(value: dict[str, Any]) -> None:
    assert chain.canonical(value) == chain.canonical(dict(reversed(value.items())))
