# What may be proposed at all, and in which case.
package ap.routing

refusal contains {
	"code": "ACTION_NOT_ALLOWED",
	"text": sprintf("A proposal is one of: %s.", [concat(", ", data.ap.data.actions)]),
} if {
	proposing
	not proposed
}

refusal contains {
	"code": "CASE_UNKNOWN",
	"text": "The case that this proposal belongs to is not known.",
} if {
	proposed
	not case_known
}

case_known if {
	named(input.case.id)
	named(input.case.reason)
}
