"""Work that is always the same few calls."""
