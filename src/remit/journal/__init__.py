"""The journal: one append-only record of a run, and the stores that keep it."""
