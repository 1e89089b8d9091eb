"""Casefiles and their access lists."""
