"""Letters of a case: what the desk sends, and what comes back. The protocols are in `mail`."""
