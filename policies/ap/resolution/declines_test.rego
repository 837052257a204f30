package ap.resolution_test

variance := situation("PRICE_VARIANCE", {"largest_line_variance": "4.00", "payable": "1000.00"})

substitute := situation(
	"ITEM_SUBSTITUTED",
	{"substitution": {"reason": "known", "price": "absent"}, "letter": "answered", "payable": "1000.00"},
)

test_a_declined_approval_goes_on_to_a_credit_memo if {
	every how in ["words", "RETURN_GOODS"] {
		found := data.ap.resolution.decision with input as after(variance, approve_declined(how))
		found.action == "request-credit-memo"
	}
}

test_declined_in_favour_of_the_order_price_is_a_short_pay if {
	found := data.ap.resolution.decision with input as after(variance, approve_declined("PAY_PO_PRICE"))
	found.action == "short-pay"
	found.amount == "1000.00"
}

test_a_decline_that_no_row_names_stops_the_rules if {
	declined := [{"action": "request-credit-memo", "how": "words"}]
	found := data.ap.resolution.decision with input as after(variance, declined)
	found.reason == "unhandled"
}

test_a_second_decline_of_another_action_stops_the_rules if {
	declined := array.concat(approve_declined("words"), [{"action": "request-credit-memo", "how": "words"}])
	found := data.ap.resolution.decision with input as after(variance, declined)
	found.reason == "unhandled"
}

test_words_alone_stop_the_rules_for_a_substitute if {
	found := data.ap.resolution.decision with input as after(substitute, approve_declined("words"))
	found.reason == "unhandled"
}

test_a_substitute_goes_back_for_credit if {
	found := data.ap.resolution.decision with input as after(substitute, approve_declined("RETURN_GOODS"))
	found.action == "request-credit-memo"
}

test_unknown_declines_match_nothing if {
	every declined in ["unknown", null, {}, [7], [{"action": "approve-variance"}]] {
		found := data.ap.resolution.decision with input as {"case": variance.case, "facts": variance.facts, "declined": declined}
		found.reason == "unhandled"
	}
}
