"""What Remit promises, measured: `python -m figures` writes ``build/figures.json``."""
