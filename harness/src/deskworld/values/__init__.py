"""The values that flow through the harness, one way: Scenario → Case → Record → Evidence → Verdict → campaign.

Frozen, typed, versioned; no I/O. Absent, empty, zero and failed are four different values everywhere.
"""
