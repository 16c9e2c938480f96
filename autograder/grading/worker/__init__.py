"""Runs the learner's notebook, inside the sandbox."""
