"""Pages that are no Prometheus text, as series."""
