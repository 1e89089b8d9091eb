"""Local models for Remit: downloads model weights and serves them on this machine with llama.cpp."""
