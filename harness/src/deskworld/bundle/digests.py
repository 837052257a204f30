"""The file that closes a bundle: a digest of every other file, and one over all of them."""

import hashlib
from pathlib import Path

from deskworld.errors import BundleFailed

DIGESTS = "DIGESTS"


def digest_file(digests: dict[str, str]) -> bytes:
    """`<sha256>  <file>` for each, as sha256sum writes it, and a last line over those lines."""
    lines = "".join(f"{digests[name]}  {name}\n" for name in sorted(digests))
    return f"{lines}{hashlib.sha256(lines.encode()).hexdigest()}  *\n".encode()


def checked(folder: Path, text: bytes) -> dict[str, str]:
    lines = text.decode("utf-8", "replace").splitlines()
    digests = {name: value for value, _, name in (line.partition("  ") for line in lines)}
    digests.pop("*", None)
    if text != digest_file(digests):
        raise tampered(folder / DIGESTS)
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()} - {DIGESTS}
    for name in sorted(found ^ set(digests)):
        raise tampered(folder / name, "it is missing" if name in digests else "it was added")
    for name, value in sorted(digests.items()):
        with (folder / name).open("rb") as stream:
            if hashlib.file_digest(stream, "sha256").hexdigest() != value:
                raise tampered(folder / name)
    return digests


def tampered(path: Path, how: str = "it is not what its digest says") -> BundleFailed:
    return BundleFailed(f"{path}: {how}", next_step="the bundle proves nothing any more; run again")
