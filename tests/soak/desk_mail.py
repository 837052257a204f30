"""`make soak`, the half that writes: every kind of odd mail and many damaged ones through the mail server to the desk.

Each comes to the desk as nobody's mail, and many again as an answer to a letter of a case, while the desk or the mail
server is killed and started again. At the end each is joined, set aside or a repetition, and seen by a person.
"""

import asyncio
import sys
from collections import Counter
from collections.abc import Sequence
from random import Random

from tests.corpus.mails.kinds import ALL
from tests.corpus.mails.mutations import mutated
from tests.soak.saying import flags, say
from tests.support.correspondence import AGREED, STRANGER, Correspondence, correspond
from tests.support.desk import Company, company_of_real_programs
from tests.support.odd_mail import CANNOT_BE_SENT, answering, books, hand_in

from deskworld_kit.clock import monotonic

MUTATIONS = 2_000
PORTION = 100
WITHIN = 300.0
PER_CASE = 50
"""Answers: what is not told yet stands in a case's view, so one case with all would be slow and show no more."""


def main(arguments: Sequence[str]) -> int:
    parser = flags("desk_mail", __doc__)
    parser.add_argument("--messages", type=int, default=len(ALL) + MUTATIONS, help="fewer are drawn from all of them")
    given = parser.parse_args(arguments)
    return asyncio.run(soak(given.messages, given.seed))


async def soak(messages: int, seed: int) -> int:
    """1 when a mail was lost, hangs, or is seen by nobody, and when a case did not hear its answer at the end."""
    draw, since, faults = Random(seed), monotonic(), list[str]()
    all_of_them = [odd.raw for odd in ALL] + [mutated(seed, number) for number in range(MUTATIONS)]
    raws = draw.sample(all_of_them, min(messages, len(all_of_them)))
    async with company_of_real_programs() as company, books(company) as desk:
        sent = Counter[str]()
        for start in range(0, len(raws), PORTION):
            portion = raws[start : start + PORTION]
            before = await desk.count()
            taken, killed = await _through(company, portion, draw, sent)
            await desk.settled(within=WITHIN)
            come = await desk.count() - before
            # one marker, and a letter's own bounce or notice is none of ours
            if come != taken + 1:
                faults.append(f"messages {start} to {start + len(portion)}: {taken} were taken and {come - 1} came")
            say(f"{start + len(portion)} of {len(raws)}, {killed} killed: {sent['taken']} taken, {_refusals(sent)}")
        faults += await desk.faults()
        faults += await _deaf(company)
        reasons = ", ".join(f"{count} {reason}" for reason, count in sorted((await desk.reasons()).items()))
    say(f"seed {seed}: {sent['taken']} mails in {monotonic() - since:.0f} s: {reasons}")
    for fault in faults[:20]:
        say(f"FAILED: {fault}")
    return int(bool(faults))


async def _through(company: Company, portion: Sequence[bytes], draw: Random, sent: Counter[str]) -> tuple[int, str]:
    """As nobody's mail and as answers, while something is killed; how many were taken, and what was killed."""
    case = await correspond(company)
    half = [hand_in(company, portion, sender=STRANGER)]
    answers = answering(portion[: min(len(portion), PER_CASE)], case.sent["message_id"])
    half.append(hand_in(company, answers, sender=case.vendor))
    # the mail server is killed only while nobody hands in: what it has not answered may have been taken
    victim = draw.choice(("desk", "mail", "nothing"))
    handed = await asyncio.gather(*half)
    if victim != "nothing":
        program = company.desk if victim == "desk" else company.mail
        await asyncio.to_thread(program.kill)
        await asyncio.to_thread(program.start)
    for one in handed:
        sent["taken"] += one.taken
        for code, count in one.refused.items():
            sent[f"refused {code}"] += count
            assert code in CANNOT_BE_SENT, f"the mail server answered {code}"
    return sum(one.taken for one in handed), victim


async def _deaf(company: Company) -> list[str]:
    """Whether a case still hears its vendor after all this."""
    case: Correspondence = await correspond(company)
    await case.deliver(case.message(AGREED))
    await case.quiet()
    heard = [reading["intent"] for reading in await case.readings()]
    return [] if heard == ["CONFIRMS_PRICE_AGREED"] else [f"the last case heard {heard}"]


def _refusals(sent: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(sent.items()) if name != "taken") or "none refused"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
