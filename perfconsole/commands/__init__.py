"""One module a subcommand: `add_arguments` and `run`. Results go to stdout, everything else to stderr."""
