"""Which message this is, whichever way it came."""

import hashlib
import re

# what servers put on top when they pass a message on (RFC 5321, 4.4); Return-Path stays: it says who sent it
_PASSED_ON = re.compile(rb"(?:received|delivered-to|x-envelope-to)[ \t]*:[^\n]*\n(?:[ \t][^\n]*\n)*", re.IGNORECASE)
_SENT_BY = re.compile(rb"return-path[ \t]*:[^\n]*\n(?:[ \t][^\n]*\n)*", re.IGNORECASE)


def identity(raw: bytes) -> str:
    """Digest of the octets without the fields on top that tell the way. A sender whose answer was lost hands the same
    message in again, and each time it gets another `Received`."""
    digest, at = hashlib.sha256(), 0
    while True:
        if passed := _PASSED_ON.match(raw, at):
            at = passed.end()
        elif sent := _SENT_BY.match(raw, at):
            digest.update(sent.group())
            at = sent.end()
        else:
            digest.update(memoryview(raw)[at:])
            return digest.hexdigest()
