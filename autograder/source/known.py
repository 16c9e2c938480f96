"""The settings that may leave with a lesson: what is not known to be public stays with its author.

Names are Quarto's, from its reference of cell options and of HTML documents, and the dialect's own.
"""

# ruff: noqa: SIM905  # tables of names read best as text

from __future__ import annotations

OWN_OPTIONS = frozenset({"course_role", "exercise", "category", "points", "expect", "label"})

CELL_OPTIONS = OWN_OPTIONS | frozenset(
    """
    id classes tags panel column layout layout-ncol layout-nrow layout-align layout-valign
    eval echo output warning error include renderings code-fold code-summary code-overflow
    code-line-numbers code-annotations code-copy lst-label lst-cap cap-location
    fig-cap fig-subcap fig-cap-location fig-link fig-align fig-alt fig-env fig-pos fig-scap
    fig-width fig-height fig-asp fig-format fig-dpi fig-column out-width out-height mermaid-format
    tbl-cap tbl-subcap tbl-cap-location tbl-colwidths tbl-column html-table-processing
    """.split()
)

# Without those that name files (bibliography, filters, css, include-in-header, resources):
# such files do not go along.
FRONT_MATTER = frozenset(
    """
    title subtitle author date date-format date-modified lang description abstract keywords
    categories order doctype license copyright image-alt institute draft
    toc toc-depth toc-title toc-location toc-expand number-sections number-depth number-offset
    shift-heading-level-by anchor-sections crossref page-layout title-block-style
    title-block-banner format jupyter engine execute cache freeze editor
    code-fold code-tools code-copy code-link code-overflow code-line-numbers code-summary
    highlight-style html-math-method callout-appearance callout-icon lightbox
    fig-width fig-height fig-align fig-cap-location fig-dpi fig-format fig-responsive
    tbl-cap-location tbl-colwidths df-print link-external-newwindow link-external-icon
    reference-location footnotes-hover smooth-scroll mermaid course
    """.split()
)
