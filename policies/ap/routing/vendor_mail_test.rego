package ap.routing_test

mailing(bank) := {"tool": "email_vendor", "case": {"id": "x-1", "reason": "NO_PO"}, "facts": {"bank": bank}}

test_a_letter_goes_out_when_the_bank_facts_are_known if {
	found := data.ap.routing.decision with input as mailing("known")
	found.effect == "allow"
}

test_no_letter_while_a_bank_change_is_unverified if {
	found := data.ap.routing.decision with input as mailing("unverified")
	codes(found) == ["BANK_UNVERIFIED"]
}

test_no_letter_while_the_bank_facts_are_unknown if {
	every bank in ["unknown", "", null, true, ["known"]] {
		found := data.ap.routing.decision with input as mailing(bank)
		codes(found) == ["BANK_UNKNOWN"]
	}
	found := data.ap.routing.decision with input as {"tool": "email_vendor"}
	codes(found) == ["BANK_UNKNOWN"]
}
