"""Exports runs: their items as JSONL, and a page to read."""
