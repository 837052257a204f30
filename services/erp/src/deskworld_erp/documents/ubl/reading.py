"""Elements by path: what stands there as text, and a path that says where it was looked for."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from lxml import etree

from deskworld_erp.documents.ubl.refused import DocumentRefused

CAC = "urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
CBC = "urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"
_PREFIXES: Mapping[str, str] = {"cac": CAC, "cbc": CBC}
_DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)", re.ASCII)
_ZONE = re.compile(r"(?<=\d)(Z|[+-]\d\d:\d\d)$", re.ASCII)
_CORRECT = "Ask the vendor to correct the document."


@dataclass(frozen=True, slots=True)
class Node:
    """An element and the path that leads to it."""

    element: etree._Element
    path: str

    def all(self, path: str) -> Iterator["Node"]:
        """Every element at the path's end; from the second of a name on, the path is numbered."""
        first, _, rest = path.partition("/")
        prefix, _, name = first.partition(":")
        found = self.element.findall(f"{{{_PREFIXES[prefix]}}}{name}")
        for number, element in enumerate(found, start=1):
            place = f"[{number}]" if len(found) > 1 else ""
            node = Node(element, f"{self.path}/{first}{place}")
            if rest:
                yield from node.all(rest)
            else:
                yield node

    def one(self, path: str) -> "Node | None":
        """Raises DocumentRefused where there are several."""
        found = list(self.all(path))
        if len(found) > 1:
            raise DocumentRefused(found[1].path, found[1].text, "stands more than once", _CORRECT)
        return found[0] if found else None

    def needed(self, path: str) -> "Node":
        found = self.one(path)
        if found is None or not found.text:
            raise DocumentRefused(f"{self.path}/{path}", None, "is missing", _CORRECT)
        return found

    @property
    def text(self) -> str:
        if len(self.element):
            raise DocumentRefused(self.path, None, "holds elements where a value belongs", _CORRECT)
        return (self.element.text or "").strip()

    def attribute(self, name: str) -> str | None:
        found = self.element.get(name)
        return None if found is None else str(found).strip()

    def day(self) -> str:
        return _ZONE.sub("", self.text)

    def number(self) -> str:
        """A decimal (xsd:decimal) without zeros that say nothing."""
        if not _DECIMAL.fullmatch(self.text) or len(self.text) > 60:
            raise DocumentRefused(self.path, self.text, "is not a decimal number", _CORRECT)
        shortest = f"{Decimal(self.text).normalize():f}"
        return "0" if shortest in {"-0", "0"} else shortest

    def amount(self, currency: str) -> str:
        """Money in the document's currency (PEPPOL-R051)."""
        stated = self.attribute("currencyID")
        if stated != currency:
            why = f"is not in the document's currency {currency}"
            raise DocumentRefused(f"{self.path}/@currencyID", stated, why, _CORRECT)
        return self.number()

    def true(self) -> bool:
        if self.text not in {"true", "false", "1", "0"}:
            raise DocumentRefused(self.path, self.text, "is neither true nor false", _CORRECT)
        return self.text in {"true", "1"}
