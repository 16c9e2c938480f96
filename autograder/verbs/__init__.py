"""The verbs of `course`, by who uses them. Each imports what it needs when it is called."""
