"""Six agent frameworks run one task, are killed in the middle of its effect, and continue."""
