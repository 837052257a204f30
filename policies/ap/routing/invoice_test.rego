package ap.routing_test

test_a_closed_invoice_is_not_decided if {
	every status in ["APPROVED", "REJECTED", "PAID", "MATCHED", "RECEIVED", "unknown", "", null] {
		found := data.ap.routing.decision with input as with_facts({"invoice": {"status": status}})
		codes(found) == ["INVOICE_NOT_OPEN"]
	}
}

test_an_invoice_on_hold_can_be_decided if {
	found := data.ap.routing.decision with input as with_facts({"invoice": {"status": "ON_HOLD"}})
	found.effect == "route"
}

test_exceptions_that_are_not_known_are_refused if {
	every exceptions in ["unknown", null, [], [{"id": "x-1"}], [{"id": "x-2", "reason": "NO_PO", "held": false}], [7]] {
		found := data.ap.routing.decision with input as with_facts(open(exceptions))
		"EXCEPTIONS_UNKNOWN" in codes(found)
	}
}
