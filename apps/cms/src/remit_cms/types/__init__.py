"""Types: the fields of entries, of sections and of single documents, as people and agents define them."""
