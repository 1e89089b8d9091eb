"""Ports of ours over libraries of others."""
