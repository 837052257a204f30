"""Business rules of vendors, in plain Python."""
