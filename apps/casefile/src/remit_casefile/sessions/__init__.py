"""Tool sessions: what a person lets tools do, request by request, and the events of it."""
