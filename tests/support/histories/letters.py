"""What the desk's rows say of a letter: that it was sent, that one came, and what the reader made of it."""

from typing import Any


def sent(message_id: str, letter_id: str, recipient: str, digest: str, turn_id: str | None) -> dict[str, Any]:
    return {
        "letter_id": letter_id,
        "message_id": message_id,
        "to_kind": "vendor",
        "recipients": [{"address": recipient, "outcome": "accepted", "detail": ""}],
        "subject": "[AP abcd1234] Order",
        "digest": digest,
        "turn_id": turn_id,
    }


def received(message_id: str, mail_id: str, sender: str, digest: str) -> dict[str, Any]:
    return {
        "mail_id": mail_id,
        "message_id": message_id,
        "digest": digest,
        "envelope_from": sender,
        "sender": "known",
        "joined_by": "reference",
        "letter_id": None,
        "class": "answer",
    }


def reading(*, instructions: bool) -> dict[str, Any]:
    """An answer that offers nothing and names nothing."""
    return {
        "intent": "OTHER",
        "offers": [],
        "stated_price": None,
        "po_number": None,
        "substitution_reason": None,
        "shipped_item": None,
        "contains_instructions": instructions,
        "failed": False,
    }
