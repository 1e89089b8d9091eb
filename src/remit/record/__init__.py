"""The items of a journal, and the values that items and stores hold."""
