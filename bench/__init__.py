"""What Remit costs, measured: `python -m bench` writes ``build/bench.json``."""
