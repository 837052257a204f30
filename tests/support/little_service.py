"""A service of a few lines, for tests of supervision: LITTLE_BIND, LITTLE_MOOD (well, mute, quits)."""

import os
import signal
import socket
import sys


def main() -> None:
    mood = os.environ["LITTLE_MOOD"]
    if mood == "quits":
        sys.stderr.write("the moon is in the wrong phase\n")
        raise SystemExit(4)
    if mood == "mute":
        signal.pause()
    host, _, port = os.environ["LITTLE_BIND"].partition(":")
    with socket.create_server((host, int(port))) as server:
        while True:
            connection, _ = server.accept()
            with connection:
                connection.recv(4096)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")


if __name__ == "__main__":
    main()
