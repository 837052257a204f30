"""Situations that an outage only delays.

Where the desk reads a letter while the ERP is away a fact may stay unknown, and another end be right: those are played
under kills by `tests.soak.compose`, which looks at the books alone.
"""

OUTLASTING = (
    "bank-change-fraud",
    "buyer-denies",
    "duplicate",
    "no-po",
    "price-variance-old-account",
    "price-variance-small",
)
