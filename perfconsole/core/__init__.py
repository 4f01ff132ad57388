"""The one writer of state: batches in, snapshots out. No I/O, no clock, no third-party package."""
