"""Collections, their entries, and posts."""
