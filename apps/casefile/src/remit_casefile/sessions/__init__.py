"""Tool sessions: requests for tools, and their events."""
