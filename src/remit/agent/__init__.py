"""The built-in agent: a model asked in a loop, and the calls it wants, made through the door."""
