"""Tables of texts that strangers write: inputs that our own tests would not think of, and what a reader must see."""
