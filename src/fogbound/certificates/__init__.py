"""Certificates: one module for each kind, with how evidence is made, what a check costs, what binds it, and its words.

`kinds.KINDS` is the one list of kinds, made of these modules. The independent checker (`fogbound.verify`) judges
evidence against a form. Whether that evidence speaks of the policies that a file plays, and of the figures that it
reports, is decided here and nowhere else: `fields` says how each field of a file is confirmed.
"""
