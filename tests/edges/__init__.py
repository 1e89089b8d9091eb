"""Remit from outside: what a wheel installs, a browser shows, a client of others reads. Only `make edges` runs it."""
