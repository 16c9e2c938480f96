"""Lesson -> student, answer and nbgrader notebooks; the release."""
