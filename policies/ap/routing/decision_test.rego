package ap.routing_test

test_a_sound_proposal_is_routed if {
	found := data.ap.routing.decision with input as sound
	found.effect == "route"
	found.revision == data.ap.data.revision
}

test_a_reading_tool_is_allowed if {
	found := data.ap.routing.decision with input as {"tool": "get_invoice"}
	found.effect == "allow"
}

test_all_that_stands_in_the_way_is_named_in_order if {
	asked := with_facts({"bank": "unknown", "asked_this_turn": true, "mail": {"instructions": true}})
	found := data.ap.routing.decision with input as asked
	codes(found) == ["ASKED_THIS_TURN", "BANK_UNKNOWN", "MAIL_INSTRUCTIONS"]
}

test_nothing_at_all_is_refused if {
	every asked in [{}, null, [], "unknown", 7, {"tool": "propose_resolution"}] {
		found := data.ap.routing.decision with input as asked
		found.effect == "refuse"
		count(found.reasons) > 0
	}
}

test_without_its_data_the_policy_refuses if {
	found := data.ap.routing.decision with input as sound with data.ap.data as {}
	found.effect == "refuse"
	codes(found) == ["POLICY_INCOMPLETE"]
}

test_with_a_list_missing_the_policy_refuses if {
	every list in ["tools", "actions", "pays", "commits", "decidable_statuses", "clerk_decides", "buyer_decides"] {
		kept := object.remove(data.ap.data, [list])
		found := data.ap.routing.decision with input as sound with data.ap.data as kept
		found.effect == "refuse"
	}
}

test_a_refusal_that_has_no_place_comes_last if {
	data.ap.routing.rank("SOMETHING_NEW") == count(data.ap.data.order_of_refusals)
}

test_every_refusal_has_its_place_in_the_order if {
	count(data.ap.data.order_of_refusals) == count({code | some code in data.ap.data.order_of_refusals})
}
