"""Who sees what: from inside each network, every host, port and path that answers."""

from typing import Any

from tests.compose.conftest import Company

TOKEN_PATH = "/realms/deskworld/protocol/openid-connect/token"

SCAN = """
import json, socket
found = {}
for name, (host, ports) in HOSTS.items():
    found[name] = []
    for port in ports or range(1, 65536):
        with socket.socket() as line:
            line.settimeout(2)
            if line.connect_ex((host, port)) == 0:
                found[name].append(port)
print(json.dumps(found))
"""

ASK = """
import http.client, json
found = {}
for host, port, method, path in ASKED:
    line = http.client.HTTPConnection(host, port, timeout=5)
    line.request(method, path, body="" if method == "POST" else None)
    found[f"{method} {path}"] = line.getresponse().status
    line.close()
print(json.dumps(found))
"""

NAMES = """
import json, socket
from concurrent.futures import ThreadPoolExecutor

def known(name):
    try:
        return bool(socket.getaddrinfo(name, None))
    except OSError:
        return False

names = NAMES
with ThreadPoolExecutor(len(names)) as asking:  # an unknown one takes ten seconds
    print(json.dumps([name for name, there in zip(names, asking.map(known, names)) if there]))
"""

OUT = """
import json, socket
said = []
for where in OUTSIDE:
    try:
        socket.create_connection((where, 53), 1).close()
        said.append(where)
    except OSError:
        pass
print(json.dumps(said))
"""


def answering(company: Company, network: str) -> dict[str, list[int]]:
    """Every port of every container on the network; of the machine itself, those that the stack publishes."""
    found = company.addresses(network)
    hosts = {name: (at, sorted(company.ports.values()) if name == "host" else None) for name, at in found.items()}
    scanned: dict[str, list[int]] = company.visit(network, SCAN.replace("HOSTS", repr(hosts)))
    return {name: ports for name, ports in scanned.items() if ports}


def asked(company: Company, network: str, questions: list[tuple[str, int, str, str]]) -> dict[str, int]:
    said: dict[str, int] = company.visit(network, ASK.replace("ASKED", repr(questions)))
    return said


def test_an_agent_sees_the_agent_door_and_the_token_path_alone(company: Company) -> None:
    assert answering(company, "agents") == {"desk": [8104], "token": [8080]}


def test_an_agent_knows_no_name_but_those_two(company: Company) -> None:
    names = ["desk-agents", "token-agents", "desk-office", "erp", "erp-office", "erp-backstage", "desk-backstage"]
    names += ["mail", "identity", "policy", "postgres", "example.com"]
    assert company.visit("agents", NAMES.replace("NAMES", repr(names))) == ["desk-agents", "token-agents"]


def test_of_the_identity_provider_an_agent_reaches_the_token_endpoint(company: Company) -> None:
    paths = ["/", "/admin/", "/realms/deskworld", "/realms/master", "/health/ready", f"{TOKEN_PATH}/introspect"]
    paths += [f"/realms/deskworld/protocol/openid-connect/{name}" for name in ("auth", "certs", "userinfo", "logout")]
    questions = [("token-agents", 8080, method, path) for path in paths for method in ("GET", "POST")]
    assert set(asked(company, "agents", questions).values()) == {404}
    said = asked(company, "agents", [("token-agents", 8080, method, TOKEN_PATH) for method in ("GET", "POST")])
    assert said == {f"GET {TOKEN_PATH}": 405, f"POST {TOKEN_PATH}": 400}


def test_an_agent_finds_mcp_at_the_agent_door_and_needs_its_token_there(company: Company) -> None:
    questions = [("desk-agents", 8104, method, "/mcp") for method in ("GET", "POST", "DELETE")]
    assert set(asked(company, "agents", questions).values()) == {401}
    told = asked(company, "agents", [("desk-agents", 8104, "GET", "/.well-known/oauth-protected-resource/mcp")])
    assert set(told.values()) == {200}


def test_no_metrics_answer_an_agent(company: Company) -> None:
    assert asked(company, "agents", [("desk-agents", 8104, "GET", "/metrics")]) == {"GET /metrics": 404}


def test_the_agent_door_serves_no_other_door(company: Company) -> None:
    paths = ["/stage/stream", "/stage/open-cases", "/worklist", "/stream", "/hooks/erp", "/invoices/1"]
    questions = [("desk-agents", 8104, method, path) for path in paths for method in ("GET", "POST")]
    assert set(asked(company, "agents", questions).values()) == {404}


def test_the_office_sees_no_stage_door_and_no_database_and_no_policy(company: Company) -> None:
    assert answering(company, "office") == {
        "desk": [8102],
        "erp": [8100],
        "identity": [8080, 9000],
        "mail": [1143, 2525, 5587],
    }


def test_no_container_finds_a_way_out(company: Company) -> None:
    outside = ["1.1.1.1", "9.9.9.9"]
    for network in ("agents", "office", "backstage", "front"):
        said: Any = company.visit(network, OUT.replace("OUTSIDE", repr(outside)))
        assert said == [], network
