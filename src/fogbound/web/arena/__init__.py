"""Arena: tournaments in processes beside the server, with intervals, verdicts in words, CSV and LaTeX."""

from fogbound.web.arena.routes import router

__all__ = ["router"]
