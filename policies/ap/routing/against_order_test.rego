package ap.routing_test

without_order(against_po, against) := object.union(
	object.union(sound, raised("NO_PO")),
	{"proposal": {"against_po": against_po}, "facts": {"against": against, "issue": "1040.00"}},
)

order(payable) := {"po": "PO-1", "payable": payable}

test_paying_against_a_named_order_goes_to_the_manager if {
	found := data.ap.routing.decision with input as without_order("PO-1", order("1040.00"))
	found.role == "ap-manager"
}

test_an_order_is_named_only_where_the_invoice_has_none if {
	every action in ["approve-variance", "short-pay", "hold", "reject"] {
		asked := proposing_with({"action": action, "amount": "1000.00", "against_po": "PO-1"}, {"against": order("1040.00")})
		found := data.ap.routing.decision with input as asked
		codes(found) == ["ORDER_NOT_ASKED_FOR"]
	}
}

test_an_order_that_nobody_knows_is_not_named_beside_a_hold if {
	asked := object.union(without_order("PO-9", "none"), {"proposal": {"action": "hold", "settles": []}})
	found := data.ap.routing.decision with input as asked
	codes(found) == ["ORDER_NOT_ASKED_FOR"]
}

test_paying_without_an_order_is_refused if {
	every against_po in ["none", "unknown", "", null] {
		found := data.ap.routing.decision with input as without_order(against_po, "none")
		codes(found) == ["NO_ORDER_NAMED"]
	}
}

test_an_order_that_the_facts_do_not_know_is_refused if {
	every against in ["none", "unknown", null, {"po": "PO-2", "payable": "9000.00"}] {
		found := data.ap.routing.decision with input as without_order("PO-1", against)
		codes(found) == ["NO_ORDER_NAMED", "ORDER_NOT_ASKED_FOR"]
	}
}

test_an_order_must_cover_the_amount if {
	every payable in ["1039.99", "0.00", "unknown", null] {
		found := data.ap.routing.decision with input as without_order("PO-1", order(payable))
		codes(found) == ["ORDER_DOES_NOT_COVER"]
	}
}

test_a_part_is_paid_as_far_as_the_order_covers_it if {
	part := {"proposal": {"action": "short-pay", "amount": "1000.00"}, "facts": {"invoice": {"payable": "0.00"}}}
	found := data.ap.routing.decision with input as object.union(without_order("PO-1", order("1000.00")), part)
	found.role == "ap-manager"
	less := data.ap.routing.decision with input as object.union(without_order("PO-1", order("999.99")), part)
	codes(less) == ["ORDER_DOES_NOT_COVER"]
}

test_holding_needs_no_order if {
	asked := object.union(without_order("none", "none"), {"proposal": {"action": "hold"}})
	found := data.ap.routing.decision with input as asked
	found.role == "clerk"
}
