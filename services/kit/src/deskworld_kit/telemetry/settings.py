"""What a service tells of itself beside its logs; all of it is off unless somebody asks for it (`…_TRACES`, …)."""

from typing import Annotated

from pydantic import AfterValidator

OFF = "off"


def _traces(value: str) -> str:
    if value == OFF or value.startswith(("http://", "https://", "file:")):
        return value
    raise ValueError('"off", the address of an OTLP/HTTP collector (http://…/v1/traces), or file:<path>')


Traces = Annotated[str, AfterValidator(_traces)]
"""`off`; an OTLP/HTTP endpoint; or `file:<path>`, one JSON object a line."""
