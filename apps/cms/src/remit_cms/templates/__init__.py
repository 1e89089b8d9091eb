"""Section templates: which slots a section has, and what may stand in them."""
