"""Clients of the agent door. Nothing here knows a scenario, the desk's code or the harness."""
