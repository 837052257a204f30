package ap.routing_test

# A price variance of 40.00 on an invoice of 1,040.00: everything is known and nothing stands in the way.
sound := {
	"case": {"id": "x-1", "reason": "PRICE_VARIANCE", "proposer": "agent"},
	"tool": "propose_resolution",
	"proposal": {
		"action": "approve-variance",
		"amount": "1040.00",
		"currency": "USD",
		"settles": ["x-1"],
		"against_po": "none",
		"citations": ["invoice-1"],
	},
	"facts": {
		"invoice": {
			"status": "EXCEPTION",
			"total": "1040.00",
			"version": 2,
			"open": [{"id": "x-1", "reason": "PRICE_VARIANCE", "held": false}],
			"masked": [],
			"payable": "1000.00",
		},
		"against": "none",
		"issue": "40.00",
		"buyer": "anna.keller",
		"bank": "known",
		"cites_bank": false,
		"ungrounded": [],
		"asked_this_turn": false,
		"mail": {"instructions": false, "reader_failed": false},
		"credit": "none",
	},
}

with_facts(facts) := object.union(sound, {"facts": facts})

proposing(proposal) := object.union(sound, {"proposal": proposal})

proposing_with(proposal, facts) := object.union(sound, {"proposal": proposal, "facts": facts})

open(exceptions) := {"invoice": {"open": exceptions}}

raised(reason) := {
	"case": {"reason": reason},
	"facts": open([{"id": "x-1", "reason": reason, "held": false}]),
}

codes(decision) := [reason.code | some reason in decision.reasons]
