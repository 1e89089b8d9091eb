"""Search by meaning: vectors of texts, computed in the background and compared with that of a query."""
