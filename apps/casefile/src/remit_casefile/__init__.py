"""Casefiles: the workspace of a case, and what is kept of Gmail, Drive and Sheets."""
