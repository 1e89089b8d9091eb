"""Payloads and replies of the Google Workspace operations."""
