"""Stage games of a one-sided game in three ways that must agree."""
