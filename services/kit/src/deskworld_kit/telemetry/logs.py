"""Structured logs: one JSON line per event on standard error, with what the work at hand is about."""

import logging
import sys
from contextlib import AbstractContextManager

import structlog


def configure_logging(service: str, level: str = "info") -> None:
    """Once, at start-up."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    structlog.contextvars.bind_contextvars(service=service)


def about(**ids: str) -> AbstractContextManager[None]:
    """Every line that is logged within says these too, whoever writes it: `about(case_id=…)`."""
    return structlog.contextvars.bound_contextvars(**ids)
