"""Who may run what: a policy's verdict on a call, the question it asks, and the person's decision."""
