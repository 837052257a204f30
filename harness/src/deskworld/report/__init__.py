"""What a campaign came to, for people and programs. Text from mails and agents is data: shown, never obeyed."""

from deskworld.report.console import print_campaign
from deskworld.report.failures import Failure, failures
from deskworld.report.html import html, letter
from deskworld.report.junit import junit
from deskworld.report.markdown import markdown, markdown_in_full
from deskworld.report.summary import as_json, summarise
from deskworld.report.telling import Ran, report, report_json
from deskworld.report.timelines import timeline

__all__ = [
    "Failure",
    "Ran",
    "as_json",
    "failures",
    "html",
    "junit",
    "letter",
    "markdown",
    "markdown_in_full",
    "print_campaign",
    "report",
    "report_json",
    "summarise",
    "timeline",
]
