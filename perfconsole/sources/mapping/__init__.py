"""From a parsed page to canonical samples, by the table of an adapter."""
