"""Text from outside that is to be stored: no NUL and no half of a character, which no database column takes."""

from pydantic import AfterValidator


def _plain(value: str) -> str:
    if "\x00" in value or any("\ud800" <= character <= "\udfff" for character in value):
        raise ValueError("holds a character that cannot be stored")
    return value


plain = AfterValidator(_plain)
