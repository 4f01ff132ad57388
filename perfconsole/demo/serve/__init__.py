"""Programs of the simulator, each a process of its own: they serve what the models say and end with their parent."""
