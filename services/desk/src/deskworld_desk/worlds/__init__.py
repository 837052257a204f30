"""Kinds of work. Each brings one `World` value; the core imports none of them."""
