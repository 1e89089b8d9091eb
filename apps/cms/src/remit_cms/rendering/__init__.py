"""Renders pages as complete HTML documents without external resources or scripts."""
