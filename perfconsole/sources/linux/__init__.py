"""What a Linux host and its processes say in /proc, /sys and netlink, for the host and process sources."""
