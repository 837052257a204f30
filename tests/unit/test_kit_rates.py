"""How much one caller may ask: a burst at once, then a steady rate."""

from dataclasses import dataclass

from deskworld_kit.rates import MOST_CALLERS, Rates


@dataclass
class Clock:
    at: float = 0.0

    def __call__(self) -> float:
        return self.at


def test_a_burst_is_taken_at_once_and_then_one_at_a_time() -> None:
    clock = Clock()
    rates = Rates(per_second=10, burst=3, now=clock)
    assert [rates.take("anna") for _ in range(4)] == [0.0, 0.0, 0.0, 0.1]
    clock.at = 0.1
    assert rates.take("anna") == 0.0
    assert rates.take("anna") > 0


def test_a_refusal_costs_nothing() -> None:
    clock = Clock()
    rates = Rates(per_second=1, burst=1, now=clock)
    rates.take("anna")
    for _ in range(100):
        assert rates.take("anna") > 0
    clock.at = 1.0
    assert rates.take("anna") == 0.0


def test_one_caller_takes_nothing_from_another() -> None:
    rates = Rates(per_second=1, burst=1, now=Clock())
    assert (rates.take("anna"), rates.take("anna"), rates.take("bruno")) == (0.0, 1.0, 0.0)


def test_a_bucket_never_holds_more_than_the_burst() -> None:
    clock = Clock()
    rates = Rates(per_second=10, burst=2, now=clock)
    rates.take("anna")
    clock.at = 1_000.0
    assert [rates.take("anna") > 0 for _ in range(3)] == [False, False, True]


def test_callers_that_went_are_forgotten() -> None:
    clock = Clock()
    rates = Rates(per_second=10, burst=2, now=clock)
    for number in range(MOST_CALLERS):
        rates.take(f"caller {number}")
    clock.at = 10.0
    rates.take("one more")
    assert len(rates._buckets) == 1
