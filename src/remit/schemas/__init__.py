"""Text and schema utilities: JSON, JSON Schema, docstrings, compatibility, suggestions. Know nothing of calls."""
