"""The scripted people: what they do when something happens (pure), and doing it through their own doors."""
