"""Values that travel between layers: no I/O, no clock, no behaviour beyond their own consistency."""
