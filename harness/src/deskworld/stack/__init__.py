"""Which stack: found, or started. The harness does not care who runs it."""
