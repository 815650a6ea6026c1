"""Is a certificate about what the file plays and says? `binders` decides, with one binder for each kind of certificate.

The independent checker judges evidence against a form. Whether that evidence speaks of the policies that `play` and
`match` would use, and of the figures that `show` prints, is decided in this package, and nowhere else.
"""
