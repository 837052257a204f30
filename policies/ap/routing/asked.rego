# Who asks waits for the answer: the turn that asked somebody does not propose.
package ap.routing

refusal contains {
	"code": "ASKED_THIS_TURN",
	"text": "Somebody was asked in this turn, or may have been: propose when the answer is there.",
} if {
	proposed
	not nobody_asked
}

nobody_asked if input.facts.asked_this_turn == false
