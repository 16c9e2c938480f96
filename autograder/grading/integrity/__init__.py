"""A submission held against the master -> what to run of it, and what was edited."""
