"""Starts the parts of a stack, knows when each is ready, and starts one again that died."""
