"""Automatic grades into nbgrader's own gradebook, and people's points out of it."""

from autograder import nodes  # noqa: F401  # before nbgrader, which imports nbformat
