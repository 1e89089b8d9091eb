"""A model's input and output: messages as received, requests and their settings, and the ends of answers."""
