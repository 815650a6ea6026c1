"""Fogbound: solve and play games whose players cannot see everything."""

__version__ = "0.1.0"
