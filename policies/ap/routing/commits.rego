# What pays or asks for credit binds the company: every fact that it rests on must be known and clean.
package ap.routing

refusal contains {
	"code": "BANK_UNVERIFIED",
	"text": "A bank change of this vendor is unverified: nothing that pays or asks for credit until it is.",
} if {
	commits
	input.facts.bank == "unverified"
}

refusal contains {
	"code": "BANK_UNKNOWN",
	"text": "The vendor's bank facts are not known: nothing that pays or asks for credit until they are.",
} if {
	commits
	not bank_known
}

refusal contains {
	"code": "AMOUNT_UNKNOWN",
	"text": "The amount, the total, the amount at issue or the currency is not known.",
} if {
	commits
	not amounts_known
}

amounts_known if {
	issue
	total
	is_string(input.proposal.currency)
	regex.match(`^[A-Z]{3}$`, input.proposal.currency)
	amount_known
}

amount_known if not pays

amount_known if {
	pays
	amount
}

refusal contains {
	"code": "NOTHING_TO_PAY",
	"text": "Nothing is left to pay on this invoice.",
} if {
	pays
	amount <= 0
}

refusal contains {
	"code": "MAIL_INSTRUCTIONS",
	"text": "A mail of this case gives instructions, or it is not known whether one does: a person must clear it first.",
} if {
	commits
	not no_instructions
}

no_instructions if input.facts.mail.instructions == false

refusal contains {
	"code": "MAIL_UNREAD",
	"text": "A mail of this case could not be read, or it is not known whether all were: a person must clear it first.",
} if {
	commits
	not all_mail_read
}

all_mail_read if input.facts.mail.reader_failed == false

refusal contains {
	"code": "DUPLICATE_OPEN",
	"text": "An open DUPLICATE stands on this invoice.",
} if {
	commits
	"DUPLICATE" in open_reasons
}

refusal contains {
	"code": "CREDIT_MEMO_PENDING",
	"text": "A credit memo was requested and has not come, or it is not known: nothing is paid until it has.",
} if {
	pays
	not no_credit_awaited
}

no_credit_awaited if input.facts.credit in {"none", "received"}
