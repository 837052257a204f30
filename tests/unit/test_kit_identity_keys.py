"""The issuer's keys change: new ones count at once, withdrawn ones for a stated time, and nobody floods the issuer."""

import asyncio

import pytest
from tests.support.kit import NAME, Issuer

from deskworld_kit.identity import TokenVerifier
from deskworld_kit.identity_keys import KeyTimes
from deskworld_kit.problems import Problem

TIMES = KeyTimes(apart=1.0, fresh=30.0, trusted=300.0)


async def refused(verifier: TokenVerifier, token: str) -> Problem:
    with pytest.raises(Problem) as caught:
        await verifier.verify(token)
    return caught.value


async def test_a_token_of_a_new_key_is_accepted_after_one_more_question_to_the_issuer() -> None:
    issuer = Issuer()
    verifier = issuer.verifier(times=TIMES)
    await verifier.verify(issuer.token())
    issuer.time += 10
    issuer.kids = ["first", "second"]
    new = issuer.token(kid="second")
    for _ in range(3):
        assert (await verifier.verify(new)).username == "anna.keller"
    assert issuer.asked == ["certs", "certs"]


async def test_a_new_key_is_accepted_even_right_after_a_fetch_that_did_not_have_it() -> None:
    issuer = Issuer()
    verifier = issuer.verifier(times=TIMES)
    await verifier.verify(issuer.token())
    issuer.kids = ["second", "first"]
    assert (await verifier.verify(issuer.token(kid="second"))).is_person
    assert issuer.time == TIMES.apart, "the question waited until it might be asked again"


async def test_a_flood_of_unknown_keys_is_no_flood_of_questions_to_the_issuer() -> None:
    issuer = Issuer()
    verifier = issuer.verifier(times=TIMES)
    await verifier.verify(issuer.token())
    forged = [issuer.token(kid=f"forged-{number}", signed_by="forger") for number in range(200)]
    problems = await asyncio.gather(*(refused(verifier, token) for token in forged))
    assert {(problem.status, problem.code) for problem in problems} == {(401, "UNAUTHENTICATED")}
    assert "forged-7" in problems[7].detail
    assert issuer.asked == ["certs"] * 2, "all who wait share one answer"


async def test_unknown_keys_one_after_the_other_ask_the_issuer_once_a_second() -> None:
    issuer = Issuer()
    verifier = issuer.verifier(times=TIMES)
    for number in range(20):
        assert (await refused(verifier, issuer.token(kid=f"forged-{number}", signed_by="forger"))).status == 401
        issuer.time += 0.1
    assert len(issuer.asked) <= 1 + issuer.time / TIMES.apart


async def test_callers_with_a_known_key_do_not_wait_behind_a_flood() -> None:
    issuer = Issuer()
    verifier = issuer.verifier(times=TIMES)
    await verifier.verify(issuer.token())
    flood = [
        asyncio.ensure_future(refused(verifier, issuer.token(kid=f"f-{number}", signed_by="forger")))
        for number in range(5)
    ]
    assert (await verifier.verify(issuer.token(sub="8a1d"))).subject == "8a1d"
    assert not any(task.done() for task in flood)
    await asyncio.gather(*flood)


@pytest.mark.parametrize("claims", [{"aud": "desk-agent"}, {"iss": f"{NAME}-two"}, {"lives": -60}])
async def test_a_token_that_no_key_could_make_good_asks_the_issuer_nothing(claims: dict[str, object]) -> None:
    issuer = Issuer()
    problem = await refused(issuer.verifier(), issuer.token(kid="unheard-of", signed_by="forger", **claims))  # type: ignore[arg-type]
    assert problem.status == 401
    assert issuer.asked == []


async def test_who_comes_while_the_first_fetch_is_under_way_needs_no_second_one() -> None:
    issuer = Issuer()
    keys = issuer.keys(TIMES)
    first = asyncio.ensure_future(keys.find("first"))
    while not issuer.asked:
        await asyncio.wait([first], timeout=0.001)
    assert await keys.find("first") is await first
    assert (issuer.asked, issuer.time) == (["certs"], 0.0)


async def test_a_withdrawn_key_is_refused_within_the_stated_time_also_for_a_token_that_was_accepted_before() -> None:
    issuer = Issuer(kids=["first", "second"])
    verifier = issuer.verifier(times=TIMES)
    old = issuer.token(kid="first")
    await verifier.verify(old)
    issuer.kids = ["second"]
    issuer.time += TIMES.fresh - 1
    assert (await verifier.verify(old)).is_person, "as designed: the keys are not asked for at each request"
    issuer.time += 1
    for token in (old, issuer.token(kid="first", sub="8a1d")):
        problem = await refused(verifier, token)
        assert (problem.status, problem.code) == (401, "UNAUTHENTICATED")
    assert (await verifier.verify(issuer.token(kid="second"))).is_person


async def test_another_key_under_the_same_id_replaces_the_first() -> None:
    issuer = Issuer()
    verifier = issuer.verifier(times=TIMES)
    old = issuer.token()
    await verifier.verify(old)
    issuer.published["first"] = "second"
    issuer.time += TIMES.fresh
    assert (await refused(verifier, old)).status == 401
    assert (await verifier.verify(issuer.token(signed_by="second"))).is_person


async def test_an_issuer_that_was_never_reached_is_no_refusal_of_the_caller() -> None:
    issuer = Issuer(well=False)
    verifier = issuer.verifier(times=TIMES)
    problem = await refused(verifier, issuer.token())
    assert (problem.status, problem.code) == (503, "UNAVAILABLE")
    assert "keys cannot be had" in problem.detail
    issuer.well = True
    assert (await verifier.verify(issuer.token())).username == "anna.keller"


async def test_while_the_issuer_is_down_an_unknown_key_is_neither_accepted_nor_called_wrong() -> None:
    issuer = Issuer()
    verifier = issuer.verifier(times=TIMES)
    await verifier.verify(issuer.token())
    issuer.well = False
    asked = [refused(verifier, issuer.token(kid="second", sub=f"{number}")) for number in range(20)]
    assert {problem.status for problem in await asyncio.gather(*asked)} == {503}
    assert len(issuer.asked) == 2, "those who wait share the failure too"


async def test_while_the_issuer_is_down_known_keys_count_for_a_stated_time_and_then_nothing_does() -> None:
    issuer = Issuer()
    verifier = issuer.verifier(times=TIMES)
    token = issuer.token()
    await verifier.verify(token)
    issuer.well = False
    issuer.time += TIMES.trusted - 1
    assert (await verifier.verify(token)).is_person
    issuer.time += 1
    assert (await refused(verifier, token)).status == 503
    issuer.well = True
    issuer.time += TIMES.apart
    assert (await verifier.verify(token)).is_person


@pytest.mark.parametrize(
    "said", ["", "[]", '{"keys": 7}', '{"keys": [{"kty": "RSA"}]}', '{"keys": []}', '{"keys": [7]}']
)
async def test_an_issuer_that_answers_nonsense_is_down(said: str) -> None:
    issuer = Issuer(nonsense=said)
    assert (await refused(issuer.verifier(), issuer.token())).status == 503


async def test_a_token_that_names_no_key_is_refused_without_asking() -> None:
    issuer = Issuer()
    assert "names no key" in (await refused(issuer.verifier(), issuer.token(kid=None))).detail
    assert issuer.asked == []
