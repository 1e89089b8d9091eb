"""Casefiles: the workspace of a case, with copies of data from Gmail, Drive and Sheets."""
