"""Trials of policies: what a changed policy would have said about recorded calls, and how approvals are used."""
