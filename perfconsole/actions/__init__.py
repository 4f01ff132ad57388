"""What the console starts: programs of its own accord, each in a process group that ends with it."""
