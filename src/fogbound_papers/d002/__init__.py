"""Document 002: one-sided games, PG-HSVI, ISG and HISG, Scotland Yard."""
