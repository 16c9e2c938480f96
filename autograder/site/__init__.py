"""Lesson -> the readers' page."""
