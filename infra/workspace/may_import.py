"""An import contract that lists what a part may import; all else is refused, so that nothing new slips past it."""

import re
import sys
from collections.abc import Iterable
from typing import Any

from grimp import DetailedImport, ImportGraph
from importlinter import Contract, ContractCheck, fields, output


def names(*, required: bool) -> Any:
    given = fields.StringField()
    return fields.SetField(subfield=given) if required else fields.SetField(subfield=given, default=set())


class MayImport(Contract):
    """Direct imports of `modules` (and of what lies under them) stay within `allowed`.

    A name stands for itself and all under it; `*` is one part of a name, `**` any number. `besides` takes modules out
    that have a contract of their own. The standard library is allowed but for `denied`.
    """

    type_name = "may_import"

    modules: set[str] = names(required=True)
    besides: set[str] = names(required=False)
    allowed: set[str] = names(required=False)
    denied: set[str] = names(required=False)

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:  # noqa: FBT001 - import-linter's signature
        output.verbose_print(verbose, f"{len(self.governed(graph.modules))} modules")
        unused = [name for name in self.modules if not any(matches(name, module) for module in graph.modules)]
        refused = [
            (module, imported, sorted({found["line_number"] for found in details(graph, module, imported)}))
            for module in sorted(self.governed(graph.modules))
            for imported in sorted(graph.find_modules_directly_imported_by(module))
            if not self.permits(imported)
        ]
        return ContractCheck(kept=not refused and not unused, metadata={"refused": refused, "unused": unused})

    def governed(self, modules: Iterable[str]) -> set[str]:
        return {one for one in modules if within(self.modules, one) and not within(self.besides, one)}

    def permits(self, imported: str) -> bool:
        if imported.partition(".")[0] in sys.stdlib_module_names:
            return not within(self.denied, imported)
        return within({*self.modules, *self.allowed}, imported) and (
            within(self.allowed, imported) or not within(self.besides, imported)
        )

    def render_broken_contract(self, check: ContractCheck) -> None:
        for module, imported, lines in check.metadata["refused"]:
            output.print_error(f"{module} may not import {imported} (line {', '.join(map(str, lines))})", bold=False)
        for name in check.metadata["unused"]:
            output.print_error(f"{name}: there is no such module; the contract holds nothing", bold=False)


def details(graph: ImportGraph, module: str, imported: str) -> list[DetailedImport]:
    return graph.get_import_details(importer=module, imported=imported)


def within(names: Iterable[str], module: str) -> bool:
    return any(matches(name, module) for name in names)


def matches(name: str, module: str) -> bool:
    pattern = re.escape(name).replace(r"\*\*\.", r"(?:[^.]+\.)*").replace(r"\*", r"[^.]+")
    return re.fullmatch(rf"{pattern}(?:\..+)?", module) is not None
