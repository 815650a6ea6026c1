"""Games in which one of two players sees everything: the form, how it is laid out and made from a table."""
