"""The workbench in a browser: server-rendered pages and plain forms, no script, nothing from another site."""
