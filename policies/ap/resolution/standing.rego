# A row applies only while its exception is the only one open on the invoice, unless it says otherwise.
package ap.resolution

stands(row) if {
	known_open
	count(input.facts.open) == 1
	own_free(row)
}

stands(row) if {
	known_open
	row.beside_siblings == true
	own_free(row)
}

known_open if {
	is_array(input.facts.open)
	every exception in input.facts.open {
		is_string(exception.id)
		is_string(exception.reason)
		is_boolean(exception.held)
	}
}

own := [exception |
	known_open
	some exception in input.facts.open
	exception.id == input.case.id
	exception.reason == input.case.reason
]

own_free(row) if {
	count(own) == 1
	object.get(row, "action", "none") != "hold"
}

own_free(row) if {
	count(own) == 1
	row.action == "hold"
	own[0].held == false
}
