"""UBL 2.1 invoices and credit notes (EN 16931, Peppol BIS Billing 3): bytes in, our values out, or a refusal."""
