"""Redirects that the owner of a site makes."""
