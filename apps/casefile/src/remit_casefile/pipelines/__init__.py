"""Pipelines: fixed sequences of calls."""
