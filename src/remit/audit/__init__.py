"""What proves, from outside, that the journal is what was written: a log of the heads of runs, and its anchor."""
