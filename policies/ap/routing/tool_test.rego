package ap.routing_test

test_every_listed_tool_that_only_reads_is_allowed if {
	every tool in ["get_invoice", "get_purchase_order", "get_receipts", "get_vendor", "ask_buyer", "keep_hold", "wait"] {
		found := data.ap.routing.decision with input as {"tool": tool}
		found.effect == "allow"
	}
}

test_a_tool_that_is_not_listed_is_refused if {
	every tool in ["pay_invoice", "", "GET_INVOICE", null, ["get_invoice"]] {
		found := data.ap.routing.decision with input as {"tool": tool}
		found.effect == "refuse"
		codes(found) == ["TOOL_NOT_ALLOWED"]
	}
}
