# What pays an invoice that names no order needs an order of this vendor that covers the amount.
package ap.routing

refusal contains {
	"code": "NO_ORDER_NAMED",
	"text": "Paying an invoice without an order needs against_po: an order of this vendor that the ERP knows.",
} if {
	pays_without_order
	not order_named
}

refusal contains {
	"code": "ORDER_DOES_NOT_COVER",
	"text": "What is payable against the named order does not cover the amount, or it is not known.",
} if {
	pays_without_order
	order_named
	not order_covers
}

pays_without_order if {
	pays
	"NO_PO" in open_reasons
}

order_named if {
	named(input.proposal.against_po)
	input.facts.against.po == input.proposal.against_po
}

order_covers if money(input.facts.against.payable) >= paid

paid := money(input.proposal.amount) if input.proposal.action == "short-pay"

paid := money(input.facts.invoice.total) if input.proposal.action == "approve-variance"
