"""The games there are: the first page, and a page for each that is its own documentation."""
