"""Calls: the callee and its contract, the arguments and the reply, and the layers around them."""
