"""The load process: sends the requests of a probe and times what comes back. Imports nothing that takes its time."""
