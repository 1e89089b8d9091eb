"""What a model reads and writes: messages as received, requests and their settings, and how an answer ended."""
