"""Review: a person decides the free-text answers; here is what helps them.

`suggest` reads an answer against the rubric and proposes points, offline and by rules that the
rubric holds. Nothing here knows a lesson.
"""
