# The few things that a row can ask of a fact. An unknown fact satisfies none of them.
package ap.resolution

holds(condition, value) if {
	is_string(value)
	value in condition.is
}

holds(condition, value) if number(value) <= to_number(condition.at_most)

holds(condition, value) if number(value) > to_number(condition.above)

holds(condition, value) if {
	condition.empty == true
	is_array(value)
	count(value) == 0
}

# Money with two decimals, or a percentage with up to six.
number(value) := to_number(value) if {
	is_string(value)
	regex.match(`^-?(0|[1-9][0-9]{0,12})(\.[0-9]{1,6})?$`, value)
}
