"""Exports of a run: its items as JSONL, a readable HTML page, and a receipt of its changes."""
