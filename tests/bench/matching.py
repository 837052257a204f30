"""What the three-way match costs: no I/O, one invoice of a thousand lines. It is CPU alone, and so measured as CPU."""

import statistics
import time

from tests.bench.ground import Ground
from tests.bench.result import Result
from tests.support.erp_match import D, inputs, line, match, ordered, other

from deskworld_erp.invoicing.rules.units import Pack
from deskworld_erp.invoicing.rules.values import Inputs, Order, Sums

LINES = 1_000
RUNS = 60
OTHERS = tuple(other(number, counts={1: D(1)}) for number in range(1, 21))


async def thousand_lines(_: Ground) -> list[Result]:
    return [
        Result(f"match of {LINES} lines{what}, median", round(1000 * median(document), 1), "ms CPU", 20)
        for what, document in (("", clean()), (", each over and in another unit", over()))
    ]


def clean() -> Inputs:
    """As a document states it: each line with its amount, and the sums."""
    lines = [line(no, stated_net=D("1000.00")) for no in range(1, LINES + 1)]
    total = D(1000) * LINES
    return inputs(*lines, others=OTHERS, sums=Sums(lines=total, net=total, gross=total))


def over() -> Inputs:
    packs = (Pack("XBX", D(10), "EA"),)
    order = Order("PO-1", "USD", tuple(ordered(no, packs=packs) for no in range(1, LINES + 1)))
    lines = [line(no, unit="XBX", quantity=D(10), price=D("104.00")) for no in range(1, LINES + 1)]
    return inputs(*lines, order=order, others=OTHERS, accepted=dict.fromkeys(range(1, LINES + 1), "60"))


def median(document: Inputs) -> float:
    match(document)
    times = []
    for _ in range(RUNS):
        began = time.process_time()
        match(document)
        times.append(time.process_time() - began)
    return statistics.median(times)
