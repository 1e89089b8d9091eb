"""Where completions come from: any OpenAI-compatible endpoint, or a model on this machine."""
