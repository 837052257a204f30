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

approves if {
	proposed
	input.proposal.action == "approve-variance"
}
