"""Evals: tasks for an application's agent with any model, graded by the resulting state and by rules."""
