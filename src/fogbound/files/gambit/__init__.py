"""Gambit's files: `.efg`, a game tree with information sets, and `.nfg`, a table of payoffs (Gambit's own manual).

Numbers are read as fractions and kept so until a form is made of them. What is read is an `ExtensiveFile` or a
`StrategicFile`; `open_gambit` makes a game of it where it can be played, and its tree form where it can only be solved.
"""
