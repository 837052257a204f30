package ap.routing_test

test_every_citation_that_was_not_read_is_named if {
	found := data.ap.routing.decision with input as with_facts({"ungrounded": ["PO-9", "PO-7"]})
	codes(found) == ["UNGROUNDED_CITATION", "UNGROUNDED_CITATION"]
	contains(found.reasons[0].text, "PO-7")
	contains(found.reasons[1].text, "PO-9")
}

test_unknown_grounding_is_refused if {
	every ungrounded in ["unknown", null, [7], {}] {
		found := data.ap.routing.decision with input as with_facts({"ungrounded": ungrounded})
		"GROUNDING_UNKNOWN" in codes(found)
	}
}

bank_hold(cites) := object.union(
	object.union(sound, raised("VENDOR_BANK_CHANGED")),
	{"proposal": {"action": "hold"}, "facts": {"bank": "unverified", "cites_bank": cites}},
)

test_a_hold_for_a_bank_change_cites_the_vendor_or_the_change if {
	found := data.ap.routing.decision with input as bank_hold(true)
	found.role == "clerk"
}

test_a_hold_for_a_bank_change_that_cites_neither_is_refused if {
	every cites in [false, "unknown", null, "true"] {
		found := data.ap.routing.decision with input as bank_hold(cites)
		codes(found) == ["BANK_HOLD_UNCITED"]
	}
}
