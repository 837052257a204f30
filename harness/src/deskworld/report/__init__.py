"""What a campaign came to, for people and programs. Text from mails and agents is data: shown, never obeyed."""

from deskworld.report.console import print_campaign
from deskworld.report.failures import Failure, failures
from deskworld.report.markdown import markdown
from deskworld.report.summary import as_json, summarise

__all__ = ["Failure", "as_json", "failures", "markdown", "print_campaign", "summarise"]
