"""Everything that a decision may rest on: what this turn told, what was read in it, what is remembered."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from deskworld_agent.playbook.news import News
from deskworld_agent.playbook.notes import Notes
from deskworld_agent.playbook.records import Finding, Invoice, Order, Receipt, Similar, Vendor
from deskworld_agent.wire import Brief


@dataclass(frozen=True, slots=True)
class CaseFile:
    """A record that is None was not read, or could not be: unknown.

    `cites` are forms of records that the tools returned, by kind of record.
    """

    brief: Brief
    news: News
    notes: Notes = field(default_factory=Notes)
    invoice: Invoice | None = None
    order: Order | None = None
    receipts: tuple[Receipt, ...] | None = None
    vendor: Vendor | None = None
    similar: tuple[Similar, ...] | None = None
    history: tuple[Invoice, ...] | None = None
    cites: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    tried: frozenset[str] = frozenset()
    """What was refused in this turn already."""

    @property
    def reason(self) -> str:
        return self.brief.exception.reason

    def may(self, what: str) -> bool:
        """Neither declined by a person nor refused before."""
        declined = {decline.action for decline in self.brief.declined}
        return what not in declined | self.tried | self.notes.refused

    def declined(self, action: str) -> bool:
        return any(decline.action == action for decline in self.brief.declined)

    def cited(self, *kinds: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(form for kind in kinds for form in self.cites.get(kind, ())))

    @property
    def open(self) -> tuple[Finding, ...]:
        return self.invoice.open if self.invoice else ()

    @property
    def alone(self) -> bool:
        """This exception is the only one open on the invoice, and nothing stands behind it."""
        return [found.id for found in self.open] == [self.brief.exception.id] and not self.open[0].masked

    @property
    def settles(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(named for found in self.open for named in (found.id, *found.masked)))

    @property
    def waiting(self) -> bool:
        return bool(self.brief.open_question or self.brief.open_letter)

    @property
    def total(self) -> Decimal | None:
        return self.invoice.total if self.invoice else None

    @property
    def payable(self) -> Decimal | None:
        return self.invoice.payable if self.invoice else None

    @property
    def called(self) -> str:
        """How a letter or question names the invoice."""
        return f"invoice {self.invoice.number}" if self.invoice and self.invoice.number else "your invoice"
