"""What is written down: the items of a journal, and the values that they and its stores hold."""
