"""Questions that the case asks a named person at the workbench."""
