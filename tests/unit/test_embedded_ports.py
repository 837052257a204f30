"""Ports that stay a stack's own."""

import socket

import pytest

from deskworld_embedded.errors import StackFailed
from deskworld_embedded.ports import reserve


def _listens(port: int) -> None:
    """As the parts listen: with SO_REUSEADDR."""
    with socket.create_server(("127.0.0.1", port)) as server, socket.create_connection(("127.0.0.1", port)):
        server.accept()[0].close()


def test_a_part_listens_on_its_reserved_port_again_and_again() -> None:
    ports = reserve(["one", "two"])
    try:
        for _ in range(3):
            _listens(ports.numbers["one"])
        assert ports.numbers["one"] != ports.numbers["two"]
        assert ports.url("one") == f"http://127.0.0.1:{ports.numbers['one']}"
    finally:
        ports.release()


def test_fixed_ports_follow_the_base_in_order() -> None:
    free = reserve(["any"])
    base = free.numbers["any"]
    free.release()
    ports = reserve(["first"], base=base)
    ports.release()
    assert ports.numbers == {"first": base}


def test_a_port_that_only_root_may_use_or_nobody_has_is_refused() -> None:
    with pytest.raises(StackFailed, match="port 70000 does not exist"):
        reserve(["erp"], base=70000)


def test_what_was_reserved_before_the_port_that_is_taken_is_let_go() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(StackFailed, match=f"port {port} on 127.0.0.1 is taken") as failure:
            reserve(["erp", "desk"], base=port - 1)
        assert failure.value.part == "desk"
    again = reserve(["erp"], base=port - 1)
    again.release()
