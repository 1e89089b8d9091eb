"""One program for each neighbour: a tool of Remit, called through the neighbour's own type of tool."""
