"""Cases: opened by events, moved by a table, seen through a view that is computed from rows."""
