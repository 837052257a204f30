package ap.routing_test

committing := {
	"approve-variance": proposing({"action": "approve-variance"}),
	"short-pay": proposing({"action": "short-pay", "amount": "1000.00"}),
	"request-credit-memo": proposing({"action": "request-credit-memo"}),
}

binding(action, facts) := object.union(committing[action], {"facts": facts})

test_what_commits_needs_verified_bank_facts if {
	every action, _ in committing {
		unverified := data.ap.routing.decision with input as binding(action, {"bank": "unverified"})
		codes(unverified) == ["BANK_UNVERIFIED"]
		every bank in ["unknown", null, ""] {
			unknown := data.ap.routing.decision with input as binding(action, {"bank": bank})
			codes(unknown) == ["BANK_UNKNOWN"]
		}
	}
}

test_what_commits_needs_known_amounts if {
	every action, _ in committing {
		every facts in [{"issue": "unknown"}, {"issue": null}, {"issue": 40}, {"invoice": {"total": "unknown"}}] {
			found := data.ap.routing.decision with input as binding(action, facts)
			"AMOUNT_UNKNOWN" in codes(found)
		}
	}
}

test_nothing_is_approved_when_nothing_is_left_to_pay if {
	every amount in ["0.00", "-40.00"] {
		found := data.ap.routing.decision with input as proposing({"amount": amount})
		codes(found) == ["NOTHING_TO_PAY"]
	}
}

test_what_pays_needs_a_known_amount if {
	every amount in ["unknown", "none", null, ""] {
		found := data.ap.routing.decision with input as proposing({"amount": amount})
		codes(found) == ["AMOUNT_UNKNOWN"]
	}
}

test_what_commits_needs_a_known_currency if {
	every currency in ["unknown", "", null, "usd"] {
		found := data.ap.routing.decision with input as proposing({"currency": currency})
		codes(found) == ["AMOUNT_UNKNOWN"]
	}
}

test_mail_that_instructs_bars_what_commits if {
	every action, _ in committing {
		every seen in [true, "unknown", null] {
			found := data.ap.routing.decision with input as binding(action, {"mail": {"instructions": seen}})
			codes(found) == ["MAIL_INSTRUCTIONS"]
		}
	}
}

test_mail_that_was_not_read_bars_what_commits if {
	every action, _ in committing {
		every failed in [true, "unknown", null] {
			found := data.ap.routing.decision with input as binding(action, {"mail": {"reader_failed": failed}})
			codes(found) == ["MAIL_UNREAD"]
		}
	}
}

test_an_open_duplicate_bars_what_commits if {
	both := open([
		{"id": "x-1", "reason": "PRICE_VARIANCE", "held": false},
		{"id": "x-2", "reason": "DUPLICATE", "held": false},
	])
	every action, _ in committing {
		asked := object.union(binding(action, both), {"proposal": {"settles": ["x-1", "x-2"]}})
		found := data.ap.routing.decision with input as asked
		codes(found) == ["DUPLICATE_OPEN"]
	}
}

test_nothing_is_paid_while_a_credit_memo_is_awaited if {
	every credit in ["requested", "unknown", null, ""] {
		every action in ["approve-variance", "short-pay"] {
			found := data.ap.routing.decision with input as binding(action, {"credit": credit})
			codes(found) == ["CREDIT_MEMO_PENDING"]
		}
	}
}

test_once_the_credit_came_it_can_be_paid if {
	found := data.ap.routing.decision with input as binding("approve-variance", {"credit": "received"})
	found.effect == "route"
}

test_mail_that_instructs_does_not_bar_a_hold_or_a_rejection if {
	every action in ["hold", "reject"] {
		asked := proposing_with({"action": action}, {"bank": "unknown", "mail": {"instructions": true}})
		found := data.ap.routing.decision with input as asked
		found.effect == "route"
	}
}
