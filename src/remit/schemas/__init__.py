"""Utilities for text and schemas: JSON, JSON Schema, docstrings, compatibility, suggestions. Independent of calls."""
