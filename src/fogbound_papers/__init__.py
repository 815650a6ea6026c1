"""What the documents claim, what we get, and the verdict: one file a document (or a demonstration)."""

from fogbound_papers.claim import Claim

__all__ = ["Claim"]
