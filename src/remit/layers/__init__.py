"""Policies, one to a file. A layer knows nothing of the others; their places say how they may stand."""
