"""What a browser keeps for the desk: it cannot be read, changed, lent to another purpose, or kept for ever."""

import pytest
from cryptography.fernet import Fernet

from deskworld_kit.identity_seal import Seal

LONG = 3600


def test_what_was_sealed_is_read_again_and_by_nobody_else() -> None:
    sealed = Seal("s3cret", "session").close({"id": "7", "refresh": "a token"})
    assert "token" not in sealed
    assert Seal("s3cret", "session").open(sealed, lasts=LONG) == {"id": "7", "refresh": "a token"}
    assert Seal("another", "session").open(sealed, lasts=LONG) is None
    assert Seal("s3cret", "sign-in").open(sealed, lasts=LONG) is None


def test_a_changed_one_is_none() -> None:
    seal = Seal("s3cret", "session")
    sealed = seal.close({"id": "7"})
    for place in range(0, len(sealed), 7):
        other = "A" if sealed[place] != "A" else "B"
        assert seal.open(sealed[:place] + other + sealed[place + 1 :], lasts=LONG) is None, place


@pytest.mark.parametrize(
    "text",
    ["", "x", "é", "gAAAAA==", pytest.param(Fernet(Fernet.generate_key()).encrypt(b"{}").decode(), id="another key")],
)
def test_what_was_never_sealed_is_none(text: str) -> None:
    assert Seal("s3cret", "session").open(text, lasts=LONG) is None


def test_one_that_is_older_than_it_may_be_is_none() -> None:
    seal = Seal("s3cret", "session")
    assert seal.open(seal.close({"id": "7"}), lasts=-1) is None


def test_an_empty_secret_seals_nothing() -> None:
    with pytest.raises(ValueError, match="empty"):
        Seal("", "session")
