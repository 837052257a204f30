# Once an action was declined, only a row that names that decline can match.
package ap.resolution

declines_named(row) if {
	not row.after_decline
	is_array(input.declined)
	count(input.declined) == 0
}

declines_named(row) if {
	is_array(input.declined)
	count(input.declined) > 0
	every declined in input.declined {
		declined.action == row.after_decline.action
		declined.how in row.after_decline.how
	}
}
