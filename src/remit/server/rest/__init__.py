"""The REST API: one operation for each thing that a client can do."""
