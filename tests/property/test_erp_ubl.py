"""Whatever a document looks like, it is read or refused by an element; and what is read says what was written."""

from decimal import Decimal
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from tests.support.ubl import adjusting, document, line, tax

from deskworld_erp.documents.ubl.document import Document, read
from deskworld_erp.documents.ubl.refused import DocumentRefused

D = Decimal
WHOLE = document(
    line(1, more=adjusting("2.50", charge=True), net="1002.50", base="1"),
    line(2, quantity="-3"),
    adjusting=adjusting("20.00", charge=False) + adjusting("85.00", charge=True),
    tax=tax("190.00", ("S", "19", "1000.00", "190.00")),
    totals={"PrepaidAmount": "1.00", "PayableRoundingAmount": "0.01"},
)
NOTE = document(line(kind="CreditNote"), kind="CreditNote", credits="RE-1")
odd = st.sampled_from(["", " ", "-1", "1e400", "NaN", "0", "9" * 40, "٣", "\u202e", "true", "USD", "x" * 300, "1.005"])


@st.composite
def bent(draw: Any) -> bytes:
    """A whole document with elements dropped, doubled, emptied, and with other texts and attributes."""
    root = etree.fromstring(draw(st.sampled_from([WHOLE, NOTE])))
    for _ in range(draw(st.integers(1, 4))):
        elements = [one for one in root.iter() if one is not root]
        one = elements[draw(st.integers(0, len(elements) - 1))]
        match draw(st.sampled_from(["drop", "double", "text", "attribute", "child"])):
            case "drop":
                one.getparent().remove(one)
            case "double":
                one.addnext(etree.fromstring(etree.tostring(one)))
            case "text":
                one.text = draw(odd)
            case "attribute":
                for name in one.attrib:
                    one.set(name, draw(odd))
            case _:
                etree.SubElement(one, "{urn:x}child").text = draw(odd)
    return bytes(etree.tostring(root))


def outcome(content: bytes) -> Document | DocumentRefused:
    try:
        return read(content)
    except DocumentRefused as refused:
        return refused


@given(bent())
def test_every_document_is_read_or_refused_by_an_element(content: bytes) -> None:
    found = outcome(content)
    if isinstance(found, Document):
        assert found.content.lines
        assert found.content.stated_total is not None
    else:
        assert found.element
        assert found.next_step
        assert found.problem().status == 400


@given(st.binary(max_size=400) | st.builds(lambda cut: WHOLE[:cut], st.integers(0, len(WHOLE) - 1)))
def test_what_is_no_document_is_refused(content: bytes) -> None:
    assert isinstance(outcome(content), DocumentRefused)


@given(
    st.decimals(min_value=D("0.001"), max_value=D(10**6), places=3),
    st.decimals(min_value=D(0), max_value=D(10**4), places=4),
    st.sampled_from(["1", "100", "0.5"]),
)
def test_figures_are_read_as_they_were_written(quantity: Decimal, price: Decimal, base: str) -> None:
    net = f"{quantity * price / D(base):.2f}"
    found = read(document(line(quantity=f"{quantity:f}", price=f"{price:f}", base=base, net=net), payable=net)).content
    one = found.lines[0]
    assert (one.quantity, one.price, one.base_quantity, one.net) == (quantity, price, D(base), D(net))
