"""Public contract tests."""
