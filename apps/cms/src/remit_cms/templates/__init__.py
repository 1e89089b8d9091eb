"""Section templates: the slots of a section, and the values they accept."""
