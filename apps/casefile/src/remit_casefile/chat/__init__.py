"""Chat sessions: a user talks to the agent, and the messages are stored."""
