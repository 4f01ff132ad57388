"""The parts of a bounded GET: addresses, the deadline on the wire, unpacking, and failures in words."""
