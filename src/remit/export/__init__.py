"""What a run tells: its items as JSONL, a page to read, and a receipt of what it changed."""
