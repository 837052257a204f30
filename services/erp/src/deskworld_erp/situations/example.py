"""A situation as somebody would write it: one order, its goods, and a bill that is dearer than agreed."""

from typing import Any

SITUATION: dict[str, Any] = {
    "vendor": {
        "id": "0199d2c4-7a10-7c3e-8f00-5b6d1e2f3a4b",
        "name": "Muster AG",
        "terms": "net 30",
        "contacts": [
            {
                "name": "Ada Muster",
                "phone": "+41 44 000 00 00",
                "mail": "ap@muster.vendors.deskworld.example",
                "trusted_since": "2024-01-01",
            }
        ],
        "bank_accounts": [{"account": "CH9300762011623852957", "routing": "00762", "status": "ACTIVE"}],
    },
    "orders": [
        {
            "ref": "order",
            "number": "PO-1001",
            "buyer": "anna.keller",
            "currency": "USD",
            "date": "2026-03-01",
            "lines": [
                {"item": "BOLT-M8", "description": "Bolt M8", "unit": "EA", "quantity": "100.000", "price": "10.00"}
            ],
        }
    ],
    "receipts": [
        {"ref": "goods", "order": "order", "date": "2026-03-05", "lines": [{"line": 1, "quantity": "100.000"}]}
    ],
    "invoices": [
        {
            "ref": "invoice",
            "number": "RE-2026/0042",
            "po_reference": "PO-1001",
            "date": "2026-03-10",
            "currency": "USD",
            "lines": [
                {
                    "po_line": 1,
                    "item": "BOLT-M8",
                    "description": "Bolt M8",
                    "unit": "EA",
                    "quantity": "100.000",
                    "price": "10.40",
                }
            ],
        }
    ],
    "faults": [
        {"kind": "status", "status": 503, "retry_after": 1, "rate": 0.3, "seed": "7", "route": "/vendors/{vendor_id}"}
    ],
}
