"""The workbench: what people see and do, as a JSON API."""
