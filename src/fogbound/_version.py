"""The version, where everything can reach it."""

__version__ = "0.2.0"
