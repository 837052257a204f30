# Who decides, or a refusal. Every rule refuses unless what it needs is known and right,
# so a missing, unknown or nonsensical fact is a refusal and never a pass.
package ap.routing

default decision := {
	"effect": "refuse",
	"reasons": [{"code": "POLICY_INCOMPLETE", "text": "The policy's own data could not be read."}],
	"revision": "unknown",
}

decision := {
	"effect": "refuse",
	"reasons": reasons,
	"revision": data.ap.data.revision,
} if {
	settings_complete
	count(refusal) > 0
} else := {
	"effect": "allow",
	"reasons": [],
	"revision": data.ap.data.revision,
} if {
	settings_complete
	input.tool in data.ap.data.tools
	input.tool != "propose_resolution"
} else := object.union(
	route,
	{"effect": "route", "revision": data.ap.data.revision},
) if {
	settings_complete
	proposed
}

# A rule that leans on a list that is not there would be silent, and silence must never pass.
settings_complete if {
	count(data.ap.data.tools) > 0
	count(data.ap.data.actions) > 0
	count(data.ap.data.pays) > 0
	count(data.ap.data.commits) > 0
	count(data.ap.data.decidable_statuses) > 0
	count(data.ap.data.clerk_decides) > 0
	count(data.ap.data.buyer_decides) > 0
	count(data.ap.data.order_of_refusals) > 0
	count(data.ap.data.controller_above) > 0
	is_string(data.ap.data.revision)
}

# A refusal names every rule that stands in the way, in the order of the rules.
reasons := [{"code": entry[1], "text": entry[2]} |
	some entry in sort([[rank(found.code), found.code, found.text] | some found in refusal])
]

rank(code) := place if {
	some place, listed in data.ap.data.order_of_refusals
	listed == code
} else := count(data.ap.data.order_of_refusals)
