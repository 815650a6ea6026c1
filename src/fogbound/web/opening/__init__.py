"""Open: any file that the library reads, to be checked, drawn, solved and played."""

from fogbound.web.opening.routes import router

__all__ = ["router"]
