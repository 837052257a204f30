# Which row of the decision table settles an exception. Exactly one row resolves; none is unhandled,
# two are a conflict. A condition holds only on a fact that is there and known.
package ap.resolution

default decision := {
	"effect": "stop",
	"row": null,
	"action": null,
	"amount": null,
	"reason": "unhandled",
	"reasons": [{"code": "POLICY_INCOMPLETE", "text": "The policy's own data could not be read."}],
	"revision": "unknown",
}

decision := {
	"effect": row.effect,
	"row": row.id,
	"action": object.get(row, "action", null),
	"amount": amount(row),
	"reason": null,
	"reasons": [{"code": "ROW_MATCHED", "text": row.why}],
	"revision": data.ap.data.revision,
} if {
	count(matching) == 1
	row := matching[0]
} else := stop("conflict", "ROWS_CONFLICT", sprintf("More than one row matches: %s.", [concat(", ", names)])) if {
	count(matching) > 1
} else := stop("unhandled", "NO_ROW", "No row of the decision table matches what is known.")

stop(reason, code, text) := {
	"effect": "stop",
	"row": null,
	"action": null,
	"amount": null,
	"reason": reason,
	"reasons": [{"code": code, "text": text}],
	"revision": data.ap.data.revision,
}

names := sort([row.id | some row in matching])

matching := [row |
	some row in data.ap.resolution.table.rows
	row.exception == input.case.reason
	stands(row)
	declines_named(row)
	every fact, condition in row.when {
		holds(condition, value_of(fact))
	}
]

# A fact is named by its path: substitution.reason.
value_of(fact) := object.get(input.facts, split(fact, "."), null)

# A row that pays an amount names the fact that it pays, and there is no row without that fact.
amount(row) := input.facts[row.amount] if {
	row.amount
} else := null
