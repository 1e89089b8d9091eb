"""Implementations of Remit's ports with third-party libraries."""
