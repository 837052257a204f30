package ap.routing_test

test_a_hold_and_a_credit_memo_go_to_a_clerk if {
	every action in ["hold", "request-credit-memo"] {
		asked := proposing_with({"action": action}, {"issue": "90000.00", "invoice": {"total": "90000.00"}})
		found := data.ap.routing.decision with input as asked
		found.role == "clerk"
	}
}

test_a_variance_goes_to_the_buyer_of_the_order if {
	every reason in ["PRICE_VARIANCE", "ITEM_SUBSTITUTED"] {
		found := data.ap.routing.decision with input as object.union(sound, raised(reason))
		found.role == "buyer"
		found.user == "anna.keller"
	}
}

test_without_a_known_buyer_it_goes_to_the_manager if {
	every buyer in ["unknown", "none", "", null, 7] {
		found := data.ap.routing.decision with input as with_facts({"buyer": buyer})
		found.role == "ap-manager"
		not found.user
	}
}

test_an_approval_of_anything_else_goes_to_the_manager if {
	every reason in ["QTY_OVER_RECEIPT", "UNPLANNED_CHARGE", "DOCUMENT_ARITHMETIC", "CURRENCY_MISMATCH", "UOM_MISMATCH"] {
		found := data.ap.routing.decision with input as object.union(sound, raised(reason))
		found.role == "ap-manager"
	}
}

test_a_rejection_goes_to_the_manager if {
	found := data.ap.routing.decision with input as proposing({"action": "reject"})
	found.role == "ap-manager"
}

test_paying_a_possible_duplicate_goes_to_a_controller if {
	found := data.ap.routing.decision with input as object.union(sound, raised("POSSIBLE_DUPLICATE"))
	found.role == "controller"
}

test_a_masked_possible_duplicate_goes_to_a_controller_too if {
	masked := {"invoice": {"masked": [{"id": "m-1", "reason": "POSSIBLE_DUPLICATE"}]}}
	found := data.ap.routing.decision with input as proposing_with({"settles": ["x-1", "m-1"]}, masked)
	found.role == "controller"
}

test_rejecting_a_possible_duplicate_goes_to_the_manager if {
	rejected := object.union(object.union(sound, raised("POSSIBLE_DUPLICATE")), {"proposal": {"action": "reject"}})
	found := data.ap.routing.decision with input as rejected
	found.role == "ap-manager"
}

test_the_limit_itself_is_within_the_limit if {
	within := data.ap.routing.decision with input as with_facts({"invoice": {"total": "10000.00"}})
	within.role == "buyer"
	above := data.ap.routing.decision with input as with_facts({"invoice": {"total": "10000.01"}})
	above.role == "controller"
}

test_the_stake_of_a_short_pay_is_what_it_pays_or_what_is_at_issue if {
	large := {"invoice": {"total": "11600.00", "payable": "10000.00"}, "issue": "1600.00"}
	pays := {"action": "short-pay", "amount": "10000.00"}
	found := data.ap.routing.decision with input as proposing_with(pays, large)
	found.role == "ap-manager"
	issue := data.ap.routing.decision with input as proposing_with(pays, object.union(large, {"issue": "10000.01"}))
	issue.role == "controller"
}

test_a_currency_without_a_limit_is_above_every_limit if {
	found := data.ap.routing.decision with input as proposing({"currency": "JPY"})
	found.role == "controller"
}

test_an_unknown_stake_is_above_every_limit if {
	rejecting := {"action": "reject"}
	every facts in [{"issue": "unknown"}, {"invoice": {"total": "unknown"}}, {"issue": null}] {
		found := data.ap.routing.decision with input as proposing_with(rejecting, facts)
		found.role == "controller"
	}
}
