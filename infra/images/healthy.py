#!/usr/local/bin/python3 -IS
"""The health check of a service's container: every address in HEALTHY answers 200; without any, process 1 runs.

It runs every few seconds, so it starts without site packages and imports what it must.
"""

import os
import socket
import sys

SECONDS = 10
ADDRESSES = os.environ.get("HEALTHY", "").split()


def refused(address: str) -> str | None:
    """Why `HOST:PORT/PATH` is not well, in words."""
    where, _, path = address.partition("/")
    host, _, port = where.rpartition(":")
    request = f"GET /{path} HTTP/1.1\r\nHost: {where}\r\nConnection: close\r\n\r\n"
    try:
        with socket.create_connection((host, int(port)), SECONDS) as line:
            line.sendall(request.encode())
            answer = b""
            while part := line.recv(65_536):
                answer += part
    except OSError as error:
        return f"{address}: {error}"
    head, _, body = answer.partition(b"\r\n\r\n")
    if head.split(b" ")[1:2] == [b"200"]:
        return None
    return f"{address}: {head.splitlines()[:1]} {body[:300]!r}"


said = [why for address in ADDRESSES if (why := refused(address))]
if not ADDRESSES:
    os.kill(1, 0)
sys.stdout.write("\n".join(said) or "ok")
sys.exit(1 if said else 0)
