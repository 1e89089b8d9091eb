"""Whole sites: to add one, list them, carry one elsewhere in a file, and look at a sample."""
