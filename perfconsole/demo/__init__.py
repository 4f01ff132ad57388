"""The embedded simulator: incidents played through real loopback servers, for the very same sources as live."""
