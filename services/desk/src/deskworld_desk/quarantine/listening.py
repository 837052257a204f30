"""A letter taken apart: what is the sender's own, which of its sentences steer, and what the others hold."""

from dataclasses import dataclass

from deskworld_desk.mail.history import own_words
from deskworld_desk.quarantine.amounts import stated_price
from deskworld_desk.quarantine.features import features
from deskworld_desk.quarantine.framing import framing
from deskworld_desk.quarantine.linear import Weights
from deskworld_desk.quarantine.plain import Sentence, sentences, tidy
from deskworld_desk.quarantine.references import order_number, shipped_item
from deskworld_desk.quarantine.steering import steering


@dataclass(frozen=True, slots=True)
class Heard:
    """`every` sentence, quoted ones too; `kept`: the sender's own that do not steer; `answer`: of these, what is no
    greeting, signature or footer; `steers`: some sentence does."""

    every: tuple[Sentence, ...]
    kept: tuple[Sentence, ...]
    answer: tuple[Sentence, ...]
    steers: bool


def listened(text: str, weights: Weights | None) -> Heard:
    """A sentence that steers is read no further: what it says counts for nothing else. Without weights none is known
    to."""
    plain = tidy(text)
    every = tuple(sentences(plain))
    own = tuple(sentences(own_words(plain)[0]))
    out = steering(own, weights) if weights else frozenset()
    kept = tuple(sentence for place, sentence in enumerate(own) if place not in out)
    around = framing(own).around
    answer = tuple(sentence for place, sentence in enumerate(own) if place not in out | around)
    steers = bool(out) or (weights is not None and every != own and bool(steering(every, weights)))
    return Heard(every, kept, answer or kept, steers)


def answer_features(heard: Heard) -> frozenset[str]:
    """Of an answer, if there is one; beside its words, whether it names an order, an item or a price."""
    if not heard.answer:
        return frozenset()
    item = shipped_item(heard.answer)
    names = {
        "order": order_number(heard.answer).given is not None,
        "item": item.given is not None,
        "items": item.several,
        "price": stated_price(heard.answer)[0] is not None,
    }
    return features(heard.answer, lengths=True) | {f"names:{name}" for name, named in names.items() if named}
