"""The append-only, hash-chained record of what happened; knows no case logic."""
