"""Accounts payable: the schema of `seed`, what a seed compiles to, the ERP's stage door, the named checks."""
