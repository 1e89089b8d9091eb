"""AG-UI: the events of runs as server-sent events."""
