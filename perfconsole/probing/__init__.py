"""What a probe plans, when it stops, and what its numbers say. Pure: no clock, no sockets, no files."""
