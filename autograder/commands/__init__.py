"""What each verb of `course` does; cli.py declares them."""
