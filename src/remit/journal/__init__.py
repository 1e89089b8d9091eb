"""The journal: one append-only record per run, and the stores that hold it."""
