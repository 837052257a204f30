"""The policy in force: read again when its files change, and kept when the new ones do not load."""

from pathlib import Path

from deskworld_embedded.policy.bundle import Bundle, BundleRefused, fingerprint, load
from deskworld_kit import clock

LOOK_AGAIN_SECONDS = 0.25


class NothingLoaded(RuntimeError):
    """No version of the policy has ever loaded."""


class Holder:
    """Looks at the folder when it is asked, for decisions at most four times a second: by itself nothing runs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._bundle: Bundle | None = None
        self._trouble = ""
        self._seen: tuple[tuple[str, int, int], ...] | None = None
        self._look_at = float("-inf")
        self._look()

    def current(self) -> Bundle:
        """The last version that loaded. Raises NothingLoaded."""
        self._look()
        if self._bundle is None:
            raise NothingLoaded(self._trouble)
        return self._bundle

    def trouble(self) -> str:
        """Why the files as they stand now do not load; empty when they do."""
        self._look_at = float("-inf")
        self._look()
        return self._trouble

    def _look(self) -> None:
        if clock.monotonic() < self._look_at:
            return
        self._look_at = clock.monotonic() + LOOK_AGAIN_SECONDS
        try:
            seen = fingerprint(self._folder)
        except OSError:  # a file vanished while we looked: look again with the next question
            return
        if seen == self._seen:
            return
        self._seen = seen
        try:
            self._bundle = load(self._folder)
            self._trouble = ""
        except BundleRefused as error:
            self._trouble = str(error)
