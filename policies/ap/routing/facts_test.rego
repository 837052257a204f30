package ap.routing_test

test_money_has_two_decimals_and_is_a_string if {
	every value in ["0.00", "10.00", "-0.01", "9999999999999.99"] {
		data.ap.routing.money(value) <= 9999999999999.99
	}
	every value in ["10", "10.0", "010.00", "1,000.00", "unknown", "", " 1.00", "1e3", "NaN", 10, null, true] {
		not data.ap.routing.money(value)
	}
}

test_what_is_named_is_a_word_that_says_something if {
	data.ap.routing.named("anna.keller")
	every value in ["", "none", "unknown", null, 7, ["anna.keller"]] {
		not data.ap.routing.named(value)
	}
}

test_masked_findings_are_named_by_id_or_as_objects if {
	masked := {"invoice": {"masked": ["m-1", {"id": "m-2", "reason": "PRICE_VARIANCE"}]}}
	found := data.ap.routing.masked_ids with input as with_facts(masked)
	found == {"m-1", "m-2"}
}
