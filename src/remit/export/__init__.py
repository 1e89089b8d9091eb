"""Exports of a run: its items as JSONL, and a readable HTML page."""
