# Only an invoice that stands open, with exceptions that could be read, can be decided.
package ap.routing

refusal contains {
	"code": "INVOICE_NOT_OPEN",
	"text": sprintf(
		"The invoice's status must be %s.",
		[concat(" or ", data.ap.data.decidable_statuses)],
	),
} if {
	proposed
	not decidable
}

decidable if input.facts.invoice.status in data.ap.data.decidable_statuses

refusal contains {
	"code": "EXCEPTIONS_UNKNOWN",
	"text": "The open exceptions of the invoice are not known, or this case's is not among them.",
} if {
	proposed
	not own_open
}

own_open if count(own) == 1
