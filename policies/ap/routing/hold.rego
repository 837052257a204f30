# An exception that is held needs no second hold.
package ap.routing

refusal contains {
	"code": "ALREADY_HELD",
	"text": "This exception is held already, or it is not known whether it is.",
} if {
	proposed
	input.proposal.action == "hold"
	not free_to_hold
}

free_to_hold if {
	count(own) == 1
	own[0].held == false
}
