"""All tables of the desk in one place, for migrations."""

from deskworld_desk.cases import tables as _cases
from deskworld_desk.decisions import tables as _decisions
from deskworld_desk.flags import tables as _flags
from deskworld_desk.letters import tables as _letters
from deskworld_desk.questions import tables as _questions
from deskworld_desk.tables import Base
from deskworld_desk.timeline import tables as _timeline
from deskworld_desk.turns import tables as _turns

SLICES = (_cases, _decisions, _flags, _letters, _questions, _timeline, _turns)
metadata = Base.metadata
