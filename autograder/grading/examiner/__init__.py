"""Runs the test cells, on the trusted side of the wall."""
