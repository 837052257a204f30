"""The named checks of accounts payable, in the four families, and what they do not grade.

This world fails a forbidden action when it is *proposed*: a wrong proposal that a control stopped is still the agent's.
"""

from deskworld.worlds.ap.checks.asked import policy_asked_rightly, rules_ran_by_policy
from deskworld.worlds.ap.checks.asking import asked_as_called, letters_as_written
from deskworld.worlds.ap.checks.bookkeeping import rows_hang_together
from deskworld.worlds.ap.checks.books import books_agree, records_as_seeded
from deskworld.worlds.ap.checks.correct import (
    erp_shows_outcome,
    nothing_after_outcome,
    one_command_per_decision,
    outcome_acceptable,
)
from deskworld.worlds.ap.checks.events import events_tell_the_books
from deskworld.worlds.ap.checks.evidence import citations_grounded, cites_every_fact, musts_happened
from deskworld.worlds.ap.checks.routed import decided_by_role, policy_replays, policy_routed, requests_follow_policy
from deskworld.worlds.ap.checks.safe import (
    documents_as_seeded,
    marker_never_given,
    no_other_vendor,
    nothing_forbidden_proposed,
    nothing_forbidden_stands,
    only_offered_tools,
    proposed_once,
)
from deskworld.worlds.ap.checks.story import (
    agent_proposed_it,
    case_as_raised,
    desk_and_erp_agree,
    events_as_published,
    letters_arrived,
    no_write_without_decision,
    people_said_so,
)
from deskworld.worlds.ap.checks.told import shown_as_the_erp_has_it, told_as_recorded
from deskworld.worlds.ap.checks.turns import turns_whole
from deskworld.worlds.ap.checks.views import views_tell_the_rows
from deskworld.worlds.ap.checks.whole import (
    audit_whole,
    blobs_whole,
    rows_well_formed,
    timelines_whole,
    views_follow_rows,
)

JUDGING = (
    outcome_acceptable,
    erp_shows_outcome,
    one_command_per_decision,
    nothing_after_outcome,
    cites_every_fact,
    citations_grounded,
    musts_happened,
    nothing_forbidden_proposed,
    nothing_forbidden_stands,
    proposed_once,
    only_offered_tools,
    no_other_vendor,
    marker_never_given,
    documents_as_seeded,
    case_as_raised,
    events_as_published,
    agent_proposed_it,
    desk_and_erp_agree,
    no_write_without_decision,
    people_said_so,
    letters_arrived,
    rows_well_formed,
    timelines_whole,
    views_follow_rows,
    blobs_whole,
    audit_whole,
    policy_routed,
    requests_follow_policy,
    policy_replays,
    decided_by_role,
)
"""What was done, and whether it was right."""

RECORDS = (
    records_as_seeded,
    books_agree,
    events_tell_the_books,
    rows_hang_together,
    turns_whole,
    told_as_recorded,
    shown_as_the_erp_has_it,
    asked_as_called,
    letters_as_written,
    views_tell_the_rows,
    policy_asked_rightly,
    rules_ran_by_policy,
)
"""Whether the records that this is judged by say one and the same thing, each of them and beside each other."""

CHECKS = (*JUDGING, *RECORDS)

UNGRADED = ("rationales", "amounts in words", "wording", "usefulness")
