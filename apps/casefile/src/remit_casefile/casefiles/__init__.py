"""Casefiles, and who may do what with them."""
