package ap.routing_test

test_what_is_not_one_of_the_five_is_refused if {
	every action in ["pay", "release-hold", "APPROVE-VARIANCE", "", null, ["hold"]] {
		found := data.ap.routing.decision with input as proposing({"action": action})
		codes(found) == ["ACTION_NOT_ALLOWED"]
	}
}

test_a_proposal_of_an_unknown_case_is_refused if {
	found := data.ap.routing.decision with input as object.union(sound, {"case": {"reason": "unknown"}})
	"CASE_UNKNOWN" in codes(found)
}
