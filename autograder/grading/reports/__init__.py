"""What leaves the output folder: tables for people and learning platforms, feedback as zips."""

from autograder import nodes  # noqa: F401  # before all that imports nbformat
