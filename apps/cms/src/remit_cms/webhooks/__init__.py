"""Webhooks: other servers are told what becomes live or is hidden, in signed requests."""
