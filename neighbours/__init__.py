"""Remit in environments of others: with the oldest dependencies that it allows, and beside other frameworks."""
