"""The path of every call: from a name or object through the layers to the body."""
