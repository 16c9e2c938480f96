"""Submissions -> scores, behind the wall."""
