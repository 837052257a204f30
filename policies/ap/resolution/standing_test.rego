package ap.resolution_test

sibling := {"id": "x-2", "reason": "NO_RECEIPT", "held": false}

test_a_payment_waits_until_its_exception_is_the_only_one if {
	asked := situation("UNPLANNED_CHARGE", {"payable": "5.00", "open": [own("UNPLANNED_CHARGE"), sibling]})
	found := data.ap.resolution.decision with input as asked
	found.reason == "unhandled"
}

test_no_letter_goes_out_beside_a_sibling if {
	substituted := {
		"substitution": {"reason": "unknown", "price": "absent"}, "letter": "none",
		"open": [own("ITEM_SUBSTITUTED"), sibling],
	}
	found := data.ap.resolution.decision with input as situation("ITEM_SUBSTITUTED", substituted)
	found.reason == "unhandled"
}

test_a_hold_applies_beside_a_sibling if {
	found := data.ap.resolution.decision with input as situation("QTY_OVER_RECEIPT", {"open": [own("QTY_OVER_RECEIPT"), sibling]})
	found.action == "hold"
}

test_a_held_exception_is_not_held_again if {
	held := [{"id": "x-1", "reason": "NO_RECEIPT", "held": true}]
	found := data.ap.resolution.decision with input as situation("NO_RECEIPT", {"open": held})
	found.reason == "unhandled"
}

test_an_exception_that_is_not_open_matches_nothing if {
	found := data.ap.resolution.decision with input as situation("NO_RECEIPT", {"open": [sibling]})
	found.reason == "unhandled"
}

test_unreadable_exceptions_match_nothing if {
	found := data.ap.resolution.decision with input as situation("NO_RECEIPT", {"open": "unknown"})
	found.reason == "unhandled"
}
