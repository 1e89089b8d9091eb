"""Evals: tasks for an application's agent, graded by the state that they leave and by rules, with any model."""
