"""What the agent is told, turn by turn, and how each turn ended."""
