"""Automatic grades into nbgrader's own gradebook, and people's points out of it."""
