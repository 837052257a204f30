"""A company of real programs as the stack that the harness is told of."""

from typing import Any

from tests.support.desk import STAGE, Company
from tests.support.servers import LOGINS, LOOPBACK

from deskworld.values.stack import Stack


def stack_of(company: Company, **changes: Any) -> Stack:
    contents = {
        "schema": "deskworld/stack/1",
        "id": "company",
        "kind": "given",
        "erp": company.erp.url("office"),
        "erp_stage": company.erp.url("stage"),
        "desk": company.desk.url("office"),
        "desk_stage": company.desk.url("stage"),
        "agent_door": company.desk.url("agent"),
        "issuer": company.issuer,
        "policy": f"http://{LOOPBACK}:{company.policy.ports[0]}",
        **company.mail_doors,
        "secrets": {
            "erp_stage": STAGE,
            "desk_stage": STAGE,
            "agent_client": "agent-loopback-secret",
            "desk_client": "desk-loopback-secret",
            "counterparty_mailbox": LOGINS["counterparties"],
        },
    }
    return Stack.model_validate({**contents, **changes})
