# How the input is read: a value is there in full, or it is not there at all.
package ap.routing

# At most 13 digits before the point, so that the comparison is exact in every engine.
money(value) := to_number(value) if {
	is_string(value)
	regex.match(`^-?(0|[1-9][0-9]{0,12})\.[0-9]{2}$`, value)
}

amount := money(input.proposal.amount)

total := money(input.facts.invoice.total)

payable := money(input.facts.invoice.payable)

issue := money(input.facts.issue)

named(value) if {
	is_string(value)
	value != ""
	value != "none"
	value != "unknown"
}

proposing if input.tool == "propose_resolution"

proposed if {
	proposing
	input.proposal.action in data.ap.data.actions
}

commits if {
	proposed
	input.proposal.action in data.ap.data.commits
}

pays if {
	proposed
	input.proposal.action in data.ap.data.pays
}

# Whether it is known how the vendor's bank account stands, for better or worse.
bank_known if input.facts.bank in {"known", "unverified"}

open := input.facts.invoice.open if {
	is_array(input.facts.invoice.open)
	count(input.facts.invoice.open) > 0
	every exception in input.facts.invoice.open {
		named(exception.id)
		named(exception.reason)
	}
}

open_reasons := {exception.reason | some exception in open}

own := [exception |
	some exception in open
	exception.id == input.case.id
	exception.reason == input.case.reason
]

# A masked finding is named by its id alone, or as an object that has one.
masked_ids := {finding_id(finding) | some finding in input.facts.invoice.masked} if {
	is_array(input.facts.invoice.masked)
	every finding in input.facts.invoice.masked {
		finding_id(finding)
	}
}

finding_id(finding) := finding if named(finding)

finding_id(finding) := finding.id if named(finding.id)

masked_reasons := {finding_reason(finding) |
	is_array(input.facts.invoice.masked)
	some finding in input.facts.invoice.masked
}

finding_reason(finding) := finding.reason if {
	named(finding.reason)
} else := "unknown"

to_settle := {exception.id | some exception in open} | masked_ids

settled := {id | some id in input.proposal.settles; is_string(id)} if {
	is_array(input.proposal.settles)
} else := set()

unsettled := to_settle - settled
