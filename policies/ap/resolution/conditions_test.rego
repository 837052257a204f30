package ap.resolution_test

small(value) := situation("PRICE_VARIANCE", {"largest_line_variance": value})

test_ten_percent_is_within if {
	found := data.ap.resolution.decision with input as small("10.00")
	found.action == "approve-variance"
}

test_a_hair_over_ten_percent_is_beyond if {
	found := data.ap.resolution.decision with input as small("10.0001")
	found.action == "request-credit-memo"
}

test_an_unknown_percentage_matches_nothing if {
	found := data.ap.resolution.decision with input as small("unknown")
	found.reason == "unhandled"
}

test_a_number_that_is_no_string_matches_nothing if {
	found := data.ap.resolution.decision with input as small(4)
	found.reason == "unhandled"
}

test_null_matches_nothing if {
	found := data.ap.resolution.decision with input as small(null)
	found.reason == "unhandled"
}

test_an_absent_fact_matches_nothing if {
	found := data.ap.resolution.decision with input as situation("PRICE_VARIANCE", {})
	found.reason == "unhandled"
}

test_what_is_masked_must_be_known_to_be_empty if {
	covered := {"masked": "unknown", "duplicate_cover": "all"}
	found := data.ap.resolution.decision with input as situation("POSSIBLE_DUPLICATE", covered)
	found.reason == "unhandled"
}

test_a_masked_finding_leaves_the_case_to_the_agent if {
	covered := {"masked": ["m-1"], "duplicate_cover": "all"}
	found := data.ap.resolution.decision with input as situation("POSSIBLE_DUPLICATE", covered)
	found.reason == "unhandled"
}

test_nothing_masked_and_all_covered_is_a_delivery_of_its_own if {
	covered := {"duplicate_cover": "all"}
	found := data.ap.resolution.decision with input as situation("POSSIBLE_DUPLICATE", covered)
	found.row == "two-deliveries"
}
