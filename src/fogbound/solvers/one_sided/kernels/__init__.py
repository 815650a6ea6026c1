"""Stage games, bounds and search of PG-HSVI, compiled."""
