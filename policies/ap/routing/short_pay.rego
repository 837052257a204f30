# A short-pay is a part of the total; beyond what is payable it must settle everything that stands open.
package ap.routing

refusal contains {
	"code": "SHORT_PAY_AMOUNT",
	"text": "A short-pay needs a positive amount below the invoice's total.",
} if {
	short_pay
	not part_of_total
}

refusal contains {
	"code": "SHORT_PAY_ABOVE_PAYABLE",
	"text": "What is payable on this invoice is not known.",
} if {
	short_pay
	not payable
}

refusal contains {
	"code": "SHORT_PAY_ABOVE_PAYABLE",
	"text": sprintf(
		"More than the payable %s is paid only by settling every open exception and finding; not named: %s.",
		[input.facts.invoice.payable, concat(", ", sort(unsettled))],
	),
} if {
	short_pay
	payable < amount
	count(unsettled) > 0
}

short_pay if {
	proposed
	input.proposal.action == "short-pay"
}

part_of_total if {
	amount > 0
	amount < total
}
