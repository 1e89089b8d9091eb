"""Chat sessions: a person talks to the agent, and what was said is kept."""
