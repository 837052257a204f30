# Approving pays the whole invoice, so it answers for every open exception and every finding that was masked.
package ap.routing

refusal contains {
	"code": "SETTLES_INCOMPLETE",
	"text": sprintf(
		"Approving must settle every open exception and masked finding; not named: %s.",
		[concat(", ", sort(unsettled))],
	),
} if {
	approves
	count(unsettled) > 0
}

refusal contains {
	"code": "SETTLES_INCOMPLETE",
	"text": "What approving would have to settle is not known.",
} if {
	approves
	not to_settle
}

refusal contains {
	"code": "SETTLES_INCOMPLETE",
	"text": "What a payment beyond an exception would have to settle is not known.",
} if {
	short_pay
	not to_settle
}

refusal contains {
	"code": "SETTLES_UNKNOWN",
	"text": sprintf("Neither open nor masked on this invoice, so it cannot be settled: %s.", [concat(", ", sort(strange))]),
} if {
	proposed
	count(strange) > 0
}

refusal contains {
	"code": "SETTLES_UNKNOWN",
	"text": "What is to be settled must be a list of ids.",
} if {
	proposed
	not settles_readable
}

strange := {id | some id in settled} - ({exception.id | some exception in open} | known_masked)

known_masked := masked_ids if {
	masked_ids
} else := set()

settles_readable if {
	is_array(input.proposal.settles)
	every id in input.proposal.settles {
		is_string(id)
	}
}

approves if {
	proposed
	input.proposal.action == "approve-variance"
}
