"""Lesson 3: storage tiers, datasets and checkpoint bandwidth."""
