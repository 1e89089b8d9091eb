"""Engines: which process executes a run, and when."""
