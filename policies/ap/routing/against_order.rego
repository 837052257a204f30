# What pays an invoice that names no order needs an order of this vendor that covers the amount.
# Where the invoice has its order no other is named.
package ap.routing

refusal contains {
	"code": "NO_ORDER_NAMED",
	"text": "Paying an invoice without an order needs against_po: an order of this vendor that the ERP knows.",
} if {
	pays_without_order
	not order_named
}

refusal contains {
	"code": "ORDER_NOT_ASKED_FOR",
	"text": "against_po names an order of this vendor where the invoice has none, and only there.",
} if {
	proposed
	named(input.proposal.against_po)
	not order_fits
}

order_fits if {
	"NO_PO" in open_reasons
	order_named
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

order_covers if money(input.facts.against.payable) >= amount
