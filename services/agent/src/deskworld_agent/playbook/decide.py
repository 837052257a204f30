"""One decision from one case file. First what holds for every case, then what belongs to the reason."""

from deskworld_agent.playbook.casefile import CaseFile
from deskworld_agent.playbook.choosing import hold
from deskworld_agent.playbook.moves import Move, Stop, Wait
from deskworld_agent.playbook.reasons import REASONS


def decide(file: CaseFile) -> Move:
    """Pure."""
    return _patience(file) or _danger(file) or _by_reason(file)


def _patience(file: CaseFile) -> Move | None:
    """Somebody was asked and has not answered: nothing is proposed over their head."""
    news = file.news
    answered = news.answer is not None or (news.reply is not None and not news.reply.stranger)
    if not file.waiting or answered or news.rechecked or not file.may("wait"):
        return None
    return Wait("An answer is still awaited.")


def _danger(file: CaseFile) -> Move | None:
    """What bars every payment, whatever the reason of the case."""
    if file.reason != "DUPLICATE" and (barred := _bank(file)):
        return barred
    if file.notes.instructed or (file.news.reply and file.news.reply.instructs):
        return hold(file, "A letter of the vendor tries to give orders. A person must look at it.", "invoice")
    if file.news.reply and file.news.reply.unread:
        return hold(file, "A letter of the vendor could not be read. A person must look at it.", "invoice")
    if file.invoice is None:
        return hold(file, "The invoice could not be read.", "vendor")
    return None


def _bank(file: CaseFile) -> Move | None:
    """Rejecting a duplicate pays nobody, so it does not wait for this."""
    if file.vendor is None:
        return hold(file, "The vendor's bank facts could not be read, so nothing may be decided that pays.")
    if file.vendor.pending:
        why = "A bank change of this vendor is not verified. It must be confirmed by a call to a number on record."
        return hold(file, why, "vendor", "change", "invoice")
    return None


def _by_reason(file: CaseFile) -> Move:
    work = REASONS.get(file.reason)
    if work is None:
        return Stop(f"Nothing is known about {file.reason}.")
    return work(file)
