"""Hypothesis: the same examples in every `make test`; other ones, and many more, in `make soak`."""

import os

from hypothesis import settings
from tests.support.stack import stack

__all__ = ["stack"]

settings.register_profile("everyday", derandomize=True, deadline=None, max_examples=100)
settings.register_profile("soak", deadline=None, print_blob=True, max_examples=500 * int(os.environ.get("SOAK", "1")))
settings.load_profile("everyday")
