"""A whole class: several grader processes, one writer, and a journal that a kill cannot hurt."""
