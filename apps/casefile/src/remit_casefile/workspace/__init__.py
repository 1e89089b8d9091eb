"""Copies of Gmail messages, Drive files and Sheets cells in casefiles: stored by users, synced, and read."""
