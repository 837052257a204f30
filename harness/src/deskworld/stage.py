"""Setting a case up through the stage doors: the desk's rules switch first, then the world's situation."""

from deskworld.doors.http import HttpDoor
from deskworld.errors import DoorFailed, StageFailed
from deskworld.values.case import Case, Seeded
from deskworld.world import SeedSituation


async def prepare(case: Case, *, desk_stage: HttpDoor, seed: SeedSituation) -> Seeded:
    """The desk hears of the subject before its first event can. Raises StageFailed."""
    try:
        await desk_stage.put(f"/stage/vendors/{case.subject_id}/rules", {"rules": case.rules})
        seeded = await seed(case)
    except DoorFailed as error:
        raise StageFailed(f"{case.scenario} (seed {case.seed}): {error.what}", next_step=error.next_step) from error
    raised = tuple(sorted(exception["reason"] for exception in seeded.exceptions))
    if raised != tuple(sorted(case.raises)):
        raise StageFailed(
            f"{case.scenario} (seed {case.seed}): the situation raised {', '.join(raised) or 'nothing'}, "
            f"and the file says {', '.join(sorted(case.raises))}",
            next_step="mend `seed` or `raises`",
        )
    missing = sorted(set(case.expect.facts) - set(seeded.records))
    if missing:
        raise StageFailed(
            f"{case.scenario} (seed {case.seed}): the stage made no record with the ref {missing[0]!r}",
            next_step="`facts` names refs of the situation",
        )
    return seeded
