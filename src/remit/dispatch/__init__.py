"""The one door: from a name or an object to a call, through the onion, to the body."""
