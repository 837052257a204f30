package ap.routing_test

holding(held) := proposing_with({"action": "hold"}, open([{"id": "x-1", "reason": "PRICE_VARIANCE", "held": held}]))

test_an_exception_that_is_free_is_held if {
	found := data.ap.routing.decision with input as holding(false)
	found.effect == "route"
	found.role == "clerk"
}

test_an_exception_that_is_held_is_not_held_again if {
	every held in [true, "unknown", null] {
		found := data.ap.routing.decision with input as holding(held)
		codes(found) == ["ALREADY_HELD"]
	}
}

test_a_credit_memo_may_be_asked_for_while_held if {
	asked := proposing_with(
		{"action": "request-credit-memo"},
		open([{"id": "x-1", "reason": "PRICE_VARIANCE", "held": true}]),
	)
	found := data.ap.routing.decision with input as asked
	found.role == "clerk"
}
