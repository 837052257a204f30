package ap.routing_test

test_a_turn_that_asked_somebody_does_not_propose if {
	every asked in [true, "unknown", null, "false", 0] {
		found := data.ap.routing.decision with input as with_facts({"asked_this_turn": asked})
		codes(found) == ["ASKED_THIS_TURN"]
	}
}
