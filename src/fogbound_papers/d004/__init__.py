"""Document 004: search in games of several players, and King Up."""
