"""Logs of engines and of the kernel: found, read from where they grow, and turned into numbers. No text leaves here."""
