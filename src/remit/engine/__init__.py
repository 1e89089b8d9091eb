"""Who drives a run, and when."""
