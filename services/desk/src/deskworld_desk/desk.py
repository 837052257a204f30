"""Everything that the desk's parts share, wired once in `app`. A value: it holds, and decides nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from deskworld_desk.background import Alarm, Background
from deskworld_desk.cases.docket import Dockets
from deskworld_desk.inbox import Inbox
from deskworld_desk.policy_client import PolicyClient
from deskworld_desk.quarantine.reader import Reader
from deskworld_desk.timeline.stream import Broadcast
from deskworld_desk.turns.leases import Leases
from deskworld_desk.turns.rounds import Rounds
from deskworld_desk.turns.turnstile import Turnstile
from deskworld_desk.turns.watch import Watch
from deskworld_desk.world import Names, World
from deskworld_kit.database import Database


@dataclass(frozen=True, slots=True)
class Desk:
    db: Database
    dockets: Dockets
    broadcast: Broadcast
    worlds: Mapping[str, World]
    policy: PolicyClient
    reader: Reader
    turnstile: Turnstile
    leases: Leases
    rounds: Rounds
    background: Background
    alarm: Alarm  # the next deadline of the office
    outgoing: Inbox  # letters to be sent
    incoming: Inbox  # mails to be joined to their cases
    unsettled: Inbox  # decisions whose outcome the system of record must be asked for
    random: Random
    mail_address: str
    build: str
    watch: Watch | None  # spans and counts of turns and tools; None where nobody wants them

    @property
    def names(self) -> Mapping[str, Names]:
        return {name: world.names for name, world in self.worlds.items()}
