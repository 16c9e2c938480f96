"""Quarto text -> blocks with line numbers -> Lesson."""
