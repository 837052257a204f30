package ap.routing_test

short(amount, settles) := proposing({"action": "short-pay", "amount": amount, "settles": settles})

test_what_is_payable_is_paid_without_settling if {
	found := data.ap.routing.decision with input as short("1000.00", [])
	found.role == "ap-manager"
}

test_above_what_is_payable_everything_open_is_settled if {
	refused := data.ap.routing.decision with input as short("1000.01", [])
	codes(refused) == ["SHORT_PAY_ABOVE_PAYABLE"]
	contains(refused.reasons[0].text, "x-1")
	found := data.ap.routing.decision with input as short("1000.01", ["x-1"])
	found.role == "ap-manager"
}

test_a_masked_finding_is_settled_too_above_what_is_payable if {
	asked := object.union(short("1000.01", ["x-1"]), {"facts": {"invoice": {"masked": ["m-1"]}}})
	found := data.ap.routing.decision with input as asked
	codes(found) == ["SHORT_PAY_ABOVE_PAYABLE"]
	contains(found.reasons[0].text, "m-1")
}

test_an_amount_that_is_no_part_of_the_total_is_refused if {
	every amount in ["0.00", "-1.00", "1040.00", "1040.01"] {
		found := data.ap.routing.decision with input as short(amount, ["x-1"])
		found.effect == "refuse"
		codes(found)[0] == "SHORT_PAY_AMOUNT"
	}
}

test_an_amount_that_cannot_be_read_is_refused if {
	every amount in ["unknown", "", null, 1000, "1000"] {
		found := data.ap.routing.decision with input as short(amount, ["x-1"])
		found.effect == "refuse"
		"SHORT_PAY_AMOUNT" in codes(found)
	}
}

test_an_unknown_payable_is_refused if {
	found := data.ap.routing.decision with input as object.union(
		short("500.00", ["x-1"]),
		{"facts": {"invoice": {"payable": "unknown"}}},
	)
	codes(found) == ["SHORT_PAY_ABOVE_PAYABLE"]
}
