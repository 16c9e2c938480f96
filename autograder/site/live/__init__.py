"""What moves on the readers' page: the plot of dump times, and the exercises with real Python."""

from autograder.site.live.assembly import CSP_EXTRA, live_parts
from autograder.site.live.pyodide import Pyodide, load_pyodide

__all__ = ["CSP_EXTRA", "Pyodide", "live_parts", "load_pyodide"]
