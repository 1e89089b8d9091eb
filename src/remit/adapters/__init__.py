"""Implementations of Remit's ports with third-party libraries, and agents of other frameworks over an open run."""
