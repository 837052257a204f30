"""What every reader of letters is: something with a name, and no tools, that turns a text into a reading."""

from typing import Protocol

from deskworld_desk.quarantine import lexicon
from deskworld_desk.quarantine.reading import Reading


class Reader(Protocol):
    @property
    def name(self) -> str: ...

    async def read(self, text: str) -> Reading:
        """Never raises for a letter's sake: a letter it cannot read gives `failed`."""
        ...


class LexiconReader:
    """The deterministic reader; needs no network."""

    name = "lexicon"

    async def read(self, text: str) -> Reading:
        return lexicon.read(text)
