"""Pictures of tabular strategies."""
