"""Approvals: a policy's verdict on a call, the question it opens, and the decision."""
