package ap.resolution_test

test_one_row_resolves if {
	found := data.ap.resolution.decision with input as situation("DUPLICATE", {"original": "found"})
	found.effect == "propose"
	found.row == "billed-twice"
	found.action == "reject"
	found.amount == null
	found.reason == null
}

test_no_row_is_unhandled if {
	found := data.ap.resolution.decision with input as situation("NO_PO", {})
	found.effect == "stop"
	found.reason == "unhandled"
	found.row == null
}

test_two_rows_are_a_conflict if {
	rows := [
		{"id": "a", "exception": "NO_PO", "when": {}, "effect": "propose", "action": "hold", "why": "a"},
		{"id": "b", "exception": "NO_PO", "when": {}, "effect": "propose", "action": "reject", "why": "b"},
	]
	found := data.ap.resolution.decision with input as situation("NO_PO", {}) with data.ap.resolution.table.rows as rows
	found.effect == "stop"
	found.reason == "conflict"
	contains(found.reasons[0].text, "a, b")
}

test_a_row_that_pays_an_amount_gives_it if {
	found := data.ap.resolution.decision with input as situation("UNPLANNED_CHARGE", {"payable": "1000.00"})
	found.action == "short-pay"
	found.amount == "1000.00"
}

test_without_its_data_the_policy_stops if {
	found := data.ap.resolution.decision with input as situation("NO_RECEIPT", {}) with data.ap.data as {}
	found.effect == "stop"
	found.revision == "unknown"
}
