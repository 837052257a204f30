"""Hypothesis: the same examples in every `make test`; other ones, and many more, in `make soak`."""

import os

from hypothesis import settings
from tests.support.stack import stack

__all__ = ["stack"]

settings.register_profile("everyday", derandomize=True, deadline=None, max_examples=100)
many = max(1, int(500 * float(os.environ.get("SOAK", "1"))))
settings.register_profile("soak", deadline=None, print_blob=True, max_examples=many)
settings.load_profile("everyday")
