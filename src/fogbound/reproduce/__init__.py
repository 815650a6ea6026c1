"""What the documents claim, what we get, and the verdict: one file a document (or a demonstration)."""

from fogbound.reproduce.claim import Claim

__all__ = ["Claim"]
