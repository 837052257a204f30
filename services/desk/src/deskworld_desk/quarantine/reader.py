"""What every reader of letters is: something with a name, and no tools, that turns a text into a reading."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Literal, Protocol

from deskworld_desk.quarantine import lexicon
from deskworld_desk.quarantine.reading import Reading

_SHORT = 2_000  # characters


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
        # a long one takes its time, and nobody else should wait for it
        return lexicon.read(text) if len(text) < _SHORT else await asyncio.to_thread(lexicon.read, text)


@dataclass(frozen=True, slots=True)
class Choice:
    """Which reader, and for a model: `<provider>:<model>`, where it is asked, and how long a letter may take."""

    reader: Literal["lexicon", "model"] = "lexicon"
    model: str | None = None
    url: str | None = None
    key: str | None = None
    seconds: float = 60.0


@asynccontextmanager
async def chosen(choice: Choice) -> AsyncIterator[Reader]:
    """Raises ReaderUnusable, or ImportError where a model is chosen and its libraries are not installed."""
    if choice.reader == "lexicon":
        yield LexiconReader()
        return
    # only who asks a model needs what it takes to ask one
    from deskworld_desk.quarantine.model import model_reader  # noqa: PLC0415

    async with model_reader(choice.model or "", url=choice.url, key=choice.key, seconds=choice.seconds) as reader:
        yield reader
