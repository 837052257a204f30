"""Choosing among moves: the first that nobody declined and nothing refused, and a hold where none is left."""

from decimal import Decimal

from deskworld_agent.playbook.casefile import CaseFile
from deskworld_agent.playbook.moves import Action, Ask, Keep, Move, Propose, Stop, Wait, Write

EVIDENCE = ("invoice", "order", "receipts")


def first_open(file: CaseFile, *moves: Move | None, why_hold: str) -> Move:
    """The first of the moves that may still be made; else the exception is held."""
    for move in moves:
        if move is not None and file.may(name(move)):
            return move
    return hold(file, why_hold)


def name(move: Move) -> str:
    match move:
        case Propose(action=action):
            return action
        case Ask():
            return "ask"
        case Write():
            return "write"
        case Keep():
            return "keep"
        case Wait():
            return "wait"
        case Stop():
            return "stop"


def hold(file: CaseFile, why: str, *evidence: str) -> Move:
    """What is held stays held; what is not is proposed to be; what a person will not hold is left to a person."""
    if file.brief.held:
        return Keep(why) if file.may("keep") else Stop(why)
    if not file.may("hold"):
        return Stop(why)
    return Propose("hold", file.cited(*(evidence or EVIDENCE)), why)


def approve(
    file: CaseFile, why: str, *, against_po: str | None = None, evidence: tuple[str, ...] = EVIDENCE
) -> Propose:
    return Propose("approve-variance", file.cited(*evidence), why, settles=file.settles, against_po=against_po)


def short_pay(file: CaseFile, why: str) -> Propose | None:
    """Pays what the ERP lets through, where that is something and less than all of it."""
    payable, total = file.payable, file.total
    if payable is None or total is None or not Decimal(0) < payable < total:
        return None
    return Propose("short-pay", file.cited(*EVIDENCE), why, amount=f"{payable:.2f}")


def propose(file: CaseFile, action: Action, why: str, evidence: tuple[str, ...] = EVIDENCE) -> Propose:
    return Propose(action, file.cited(*evidence), why)
