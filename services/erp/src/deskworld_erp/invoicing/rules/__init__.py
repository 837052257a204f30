"""The rules of invoicing: plain Python without I/O. They take finished values and return values."""
