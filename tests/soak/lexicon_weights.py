"""`make soak`: the lexicon's weights, made again from their letters, are the ones that are stored."""

import sys
from pathlib import Path

from deskworld_desk.quarantine.linear import learnt
from deskworld_desk.quarantine.training import digest_of, frames_in, letters_in, text_of, weights_of

LETTERS = Path(__file__).parents[1] / "corpus" / "letters"


def main() -> int:
    made = weights_of(letters_in(LETTERS), frames_in(LETTERS), made_from=digest_of(LETTERS))
    same = text_of(made) == text_of(learnt())
    sys.stdout.write(f"weights of the lexicon, made again: {'the same' if same else 'NOT the ones that are stored'}\n")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
