"""What runs on this host and takes part in serving: found from processes, ports, configuration files and pages."""
