"""Odd mail through the real mail server: nothing is lost, nothing hangs, and a person sees each: joined to its case,
unmatched, or unreadable. This is a slice; all of it goes through in `make soak` (tests/soak/desk_mail.py).
"""

from tests.corpus.mails.kinds import ALL
from tests.corpus.mails.mutations import mutated
from tests.support.correspondence import AGREED, STRANGER, correspond
from tests.support.desk import Company
from tests.support.odd_mail import CANNOT_BE_SENT, answering, books, hand_in

SEED, SLICE = 11, 20
LARGE = 200_000  # octets
SMALL = [odd.raw for odd in ALL if len(odd.raw) < LARGE]


async def test_odd_mail_ends_where_a_person_sees_it(company: Company) -> None:
    raws = SMALL[::4] + [mutated(SEED, number) for number in range(SLICE)]
    async with books(company) as desk:
        before = await desk.count()
        handed = await hand_in(company, raws, sender=STRANGER)
        await desk.settled()
        assert set(handed.refused) <= set(CANNOT_BE_SENT)
        assert handed.taken > len(raws) * 0.95
        assert await desk.count() == before + handed.taken + 1  # and the marker
        assert await desk.faults() == []


async def test_odd_mail_as_an_answer_is_told_to_its_case_and_the_next_answer_is_read(company: Company) -> None:
    case = await correspond(company)
    raws = answering(SMALL[2::12], case.sent["message_id"])
    async with books(company) as desk:
        handed = await hand_in(company, raws, sender=case.vendor)
        await desk.settled()
        assert await desk.faults() == []
    received = await case.received()
    assert len(received) > handed.taken * 0.9
    assert all(mail["joined_by"] == "reference" for mail in received)
    read = len(await case.readings())
    await case.deliver(case.message(AGREED))
    await case.quiet()
    assert (await case.readings())[read:][-1]["intent"] == "CONFIRMS_PRICE_AGREED"
