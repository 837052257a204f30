# A citation is evidence only when it was read; a hold for a bank change rests on the vendor or the change.
package ap.routing

refusal contains {
	"code": "UNGROUNDED_CITATION",
	"text": sprintf("%s was cited, but nothing that was read in this case returned it.", [citation]),
} if {
	proposed
	is_array(input.facts.ungrounded)
	some citation in input.facts.ungrounded
	is_string(citation)
}

refusal contains {
	"code": "GROUNDING_UNKNOWN",
	"text": "Which of the citations were read is not known.",
} if {
	proposed
	not grounding_known
}

grounding_known if {
	is_array(input.facts.ungrounded)
	every citation in input.facts.ungrounded {
		is_string(citation)
	}
}

refusal contains {
	"code": "BANK_HOLD_UNCITED",
	"text": "A hold for a bank change must cite the vendor or the change.",
} if {
	proposed
	input.proposal.action == "hold"
	input.case.reason == "VENDOR_BANK_CHANGED"
	not bank_cited
}

bank_cited if input.facts.cites_bank == true
