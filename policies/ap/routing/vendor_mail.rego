# Nobody writes to a vendor whose bank account may be in the hands of somebody else.
package ap.routing

refusal contains {
	"code": "BANK_UNVERIFIED",
	"text": "A bank change of this vendor is unverified: no mail goes to the vendor until it is.",
} if {
	input.tool == "email_vendor"
	input.facts.bank == "unverified"
}

refusal contains {
	"code": "BANK_UNKNOWN",
	"text": "The vendor's bank facts are not known: no mail goes to the vendor until they are.",
} if {
	input.tool == "email_vendor"
	not bank_known
}
