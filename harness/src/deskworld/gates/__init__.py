"""Gates: what a campaign must show before anybody may sign, read from `gates.yaml` and judged from the runs."""

from deskworld.gates.coverage import not_covered
from deskworld.gates.exits import exit_code, results
from deskworld.gates.judging import judge
from deskworld.gates.played import Played, pays, played
from deskworld.gates.reading import NAME, fitting, read

__all__ = ["NAME", "Played", "exit_code", "fitting", "judge", "not_covered", "pays", "played", "read", "results"]
