"""Accounts payable: invoice exceptions of the ERP."""
