"""Pages of exporters that tell of GPUs and hosts, here and elsewhere."""
