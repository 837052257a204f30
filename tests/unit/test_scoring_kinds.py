"""The harness's own list of timeline kinds is the page of doors."""

import re

from tests.support.repository import ROOT

from deskworld.values.kinds import KINDS


def test_every_kind_tells_what_the_page_of_doors_says() -> None:
    page = (ROOT / "docs" / "doors.md").read_text(encoding="utf-8")
    table = page.split("| kind | data |", 1)[1].split("\n\n", 1)[0]
    for line in table.splitlines()[2:]:
        kinds, told = line.replace("\\|", "/").strip("| ").split(" | ", 1)
        for kind, fields in zip(kinds.split(" · "), told.split(" · ") if " · " in kinds else [told], strict=False):
            named = fields
            while named != (without := re.sub(r"[{\[(][^{\[(}\])]*[}\])]", "", named)):
                named = without
            names = set(re.findall(r"[a-z_]+", re.sub(r":[^,]*|/null", "", named)))
            assert names <= KINDS[kind], (kind, names - KINDS[kind])
            for name in KINDS[kind]:
                assert re.search(rf"\b{name}\b", fields), (kind, name)
