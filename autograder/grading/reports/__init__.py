"""What leaves the output folder: tables for people and learning platforms, feedback as zips."""
