"""nbformat, without what reading notebooks does not need: imported from here, before all else.

jsonschema, which nbformat imports, builds a grammar of internationalised addresses (2.5 s) where
the package for it is installed. No schema of a notebook has such an address.
"""

from __future__ import annotations

import importlib
import sys

_GRAMMAR = "rfc3987_syntax"

if _GRAMMAR not in sys.modules and "jsonschema" not in sys.modules:
    sys.modules[_GRAMMAR] = None  # type: ignore[assignment]  # importing it fails, as if absent
    try:
        importlib.import_module("jsonschema")
    finally:
        del sys.modules[_GRAMMAR]

import nbformat  # noqa: E402  # once the grammar is out of its way
from nbformat import NotebookNode, from_dict  # noqa: E402

__all__ = ["NotebookNode", "from_dict", "nbformat"]
