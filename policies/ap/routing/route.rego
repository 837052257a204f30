# Who decides what no rule refuses.
package ap.routing

route := {
	"role": "clerk",
	"reasons": [{"code": "NOTHING_PAID", "text": "A hold or a request for credit pays nothing: a clerk decides."}],
} if {
	input.proposal.action in data.ap.data.clerk_decides
} else := {
	"role": "controller",
	"reasons": [{"code": "PAYS_POSSIBLE_DUPLICATE", "text": "What may be a duplicate is paid by a controller alone."}],
} if {
	pays
	"POSSIBLE_DUPLICATE" in (open_reasons | masked_reasons)
} else := {
	"role": "controller",
	"reasons": [{"code": "ABOVE_LIMIT", "text": "The stake is above the limit of an AP manager, or it is not known."}],
} if {
	not within_limit
} else := {
	"role": "buyer",
	"user": input.facts.buyer,
	"reasons": [{"code": "OWN_ORDER", "text": "A variance on an order is the call of that order's buyer."}],
} if {
	input.proposal.action == "approve-variance"
	named(input.facts.buyer)
	count((open_reasons | masked_reasons) - {reason | some reason in data.ap.data.buyer_decides}) == 0
} else := {
	"role": "ap-manager",
	"reasons": [{"code": "WITHIN_LIMIT", "text": "The stake is within the limit of an AP manager."}],
}

# Every part of the stake must be known and within the limit of its currency; no limit is above every limit.
within_limit if {
	limit := money(data.ap.data.controller_above[input.proposal.currency])
	issue <= limit
	at_stake <= limit
}

at_stake := amount if input.proposal.action == "short-pay"

at_stake := total if input.proposal.action != "short-pay"
