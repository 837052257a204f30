package ap.resolution_test

own(reason) := {"id": "x-1", "reason": reason, "held": false}

situation(reason, facts) := {
	"case": {"id": "x-1", "reason": reason},
	"facts": object.union({"open": [own(reason)], "masked": []}, facts),
	"declined": [],
}

after(asked, declined) := object.union(asked, {"declined": declined})

approve_declined(how) := [{"action": "approve-variance", "how": how}]
