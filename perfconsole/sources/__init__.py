"""Reading the world: each source polls one thing on its own thread and hands over batches."""
