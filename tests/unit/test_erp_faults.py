"""When a fault strikes: the same seed and the same calls meet the same faults."""

from itertools import count, islice
from typing import Any

import pytest
from pydantic import ValidationError

from deskworld_erp.faults.live import LiveFaults
from deskworld_erp.faults.rules import Fault, Kind, Struck, draw, struck
from deskworld_erp.faults.schemas import FaultBody

READ = "/vendors/{vendor_id}"


def fault(**changes: Any) -> Fault:
    plain = {"id": "f", "vendor_id": "v", "kind": Kind.STATUS, "rate": 0.3, "seed": "7", "status": 503}
    return Fault(**plain | changes)


def strikes(one: Fault, calls: int, method: str = "GET", route: str = READ) -> list[bool]:
    return [one.strikes(method, route, nth) for nth in range(1, calls + 1)]


def test_the_same_seed_meets_the_same_calls_and_another_seed_meets_others() -> None:
    assert strikes(fault(), 200) == strikes(fault(id="another", vendor_id="w"), 200)
    assert strikes(fault(), 200) != strikes(fault(seed="8"), 200)


def test_each_route_and_method_is_drawn_for_itself() -> None:
    assert strikes(fault(), 200) != strikes(fault(), 200, route="/purchase-orders/{number}")
    assert strikes(fault(), 200) != strikes(fault(), 200, method="POST")


def test_the_draw_is_fixed_for_good() -> None:
    # SHA-256 over seed, method, route and count: a run of last year is repeated with the same faults
    assert round(draw("7", "GET", READ, 1), 6) == 0.171069
    assert round(draw("7", "GET", READ, 2), 6) == 0.51711


@pytest.mark.parametrize("rate", [0.05, 0.3, 0.5, 1.0])
def test_the_rate_is_the_share_of_calls_that_meet_it(rate: float) -> None:
    met = sum(strikes(fault(rate=rate), 4000))
    assert abs(met / 4000 - rate) < 0.03


def test_a_fault_of_the_first_calls_ends_with_them() -> None:
    assert strikes(fault(rate=1.0, calls=2), 4) == [True, True, False, False]


def test_delays_add_up_and_of_the_rest_the_first_is_taken() -> None:
    slow = {"kind": Kind.LATENCY, "rate": 1.0, "status": None}
    first, second = fault(rate=1.0), fault(id="g", rate=1.0, kind=Kind.DROP, status=None)
    met = struck([fault(milliseconds=200, **slow), first, fault(milliseconds=50, **slow), second], "GET", READ, 1)
    assert met == Struck(250, first)


def test_calls_are_counted_for_each_record() -> None:
    live = LiveFaults()
    live.take([fault()])
    found = live.of("v", "GET", READ)
    alone = [live.call(found, "GET", READ, "first") for _ in range(20)]
    live.call(found, "GET", READ, "second")
    live.forget(None)
    live.take([fault()])
    mixed = []
    for turn in islice(count(), 20):
        mixed.append(live.call(found, "GET", READ, "first"))
        live.call(found, "GET", READ, f"other {turn}")
    assert alone == mixed


def test_a_fault_meets_its_vendor_and_everybody_only_if_it_says_so() -> None:
    live = LiveFaults()
    mine, all_ = fault(), fault(id="g", everybody=True, route="/events")
    live.take([mine, all_])
    assert live.of("v", "GET", READ) == [mine]
    assert live.of("w", "GET", READ) == []
    assert live.of(None, "GET", "/events") == [all_]


def test_a_stale_read_is_what_was_answered_before_the_last_change() -> None:
    live = LiveFaults()
    assert [live.answered("/a", body) for body in (b"1", b"1", b"2", b"2", b"3")] == [b"1", b"1", b"1", b"1", b"2"]


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"kind": "status"}, "status"),
        ({"kind": "drop", "status": 503}, "status"),
        ({"kind": "latency"}, "milliseconds"),
        ({"kind": "drop", "milliseconds": 5}, "milliseconds"),
        ({"kind": "latency", "milliseconds": 5, "retry_after": 1}, "retry_after"),
        ({"kind": "stale-read", "method": "POST"}, "GET"),
        ({"kind": "drop", "rate": 0}, "rate"),
        ({"kind": "drop", "rate": 1.1}, "rate"),
        ({"kind": "status", "status": 404}, "status"),
    ],
)
def test_a_fault_that_cannot_be_is_refused_by_field(wrong: dict[str, Any], word: str) -> None:
    with pytest.raises(ValidationError, match=word):
        FaultBody.model_validate(wrong)
