"""The table of figures, in the order in which they are measured."""

from collections.abc import Awaitable, Callable, Mapping

from tests.bench import bare, cases, desk, erp, matching, receivers, rescoring, stack, telemetry
from tests.bench.ground import Ground
from tests.bench.result import Result

Measure = Callable[[Ground], Awaitable[list[Result]]]

FIGURES: Mapping[str, Measure] = {
    "stack-up": stack.up_warm,
    "memory-idle": stack.memory_idle,
    "rules-case": cases.rules_case,
    "mail-case": cases.mail_case,
    "oracle-runs": cases.oracle_runs,
    "rescore": rescoring.stored_runs,
    "bare-route": bare.route,
    "erp-office": erp.office_door,
    "desk-rules": desk.rules_cases,
    "match": matching.thousand_lines,
    "receivers": receivers.one_is_down,
    "telemetry": telemetry.off_and_on,
    "memory": stack.memory_after,
}
