"""The version, where everything can reach it."""

__version__ = "0.1.0"
