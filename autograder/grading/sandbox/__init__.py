"""Where untrusted code runs: namespaces, limits, privileges, the channel to it."""
