"""Mail of the desk: read, joined to its letter, listened for and sent."""
