"""The door that agents work through: claim a turn, call tools, end it."""
