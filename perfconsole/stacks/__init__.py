"""Reads sampled stacks of Python processes: whose they are, what blocks in them, and how the time adds up. Pure."""
