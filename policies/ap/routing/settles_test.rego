package ap.routing_test

beside := {"invoice": {
	"open": [
		{"id": "x-1", "reason": "PRICE_VARIANCE", "held": false},
		{"id": "x-2", "reason": "QTY_OVER_RECEIPT", "held": false},
	],
	"masked": ["m-1"],
}}

test_approving_names_the_others_that_it_must_settle if {
	found := data.ap.routing.decision with input as with_facts(beside)
	codes(found) == ["SETTLES_INCOMPLETE"]
	contains(found.reasons[0].text, "m-1, x-2")
}

test_approving_everything_by_name_is_routed if {
	asked := proposing_with({"settles": ["x-1", "x-2", "m-1"]}, beside)
	found := data.ap.routing.decision with input as asked
	found.role == "ap-manager"
}

test_unknown_masked_findings_bar_a_payment if {
	every action in ["approve-variance", "short-pay"] {
		every masked in ["unknown", null, [7], ["unknown"], {}] {
			asked := proposing_with({"action": action, "amount": "1000.00"}, {"invoice": {"masked": masked}})
			found := data.ap.routing.decision with input as asked
			"SETTLES_INCOMPLETE" in codes(found)
		}
	}
}

test_settling_nothing_readable_settles_nothing if {
	every settles in ["x-1", null, {}, "unknown", [7]] {
		found := data.ap.routing.decision with input as proposing({"settles": settles})
		codes(found) == ["SETTLES_UNKNOWN", "SETTLES_INCOMPLETE"]
	}
}

test_what_is_not_open_cannot_be_settled if {
	every action in ["approve-variance", "short-pay", "hold"] {
		asked := proposing({"action": action, "amount": "1000.00", "settles": ["x-1", "x-9"]})
		found := data.ap.routing.decision with input as asked
		codes(found) == ["SETTLES_UNKNOWN"]
		contains(found.reasons[0].text, "x-9")
	}
}
