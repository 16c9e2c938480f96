"""Branches for learners, built from git objects, and the audit that no answer is in them."""
