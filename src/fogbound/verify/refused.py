"""The one way this checker says no to its input."""


class Refused(ValueError):
    """The input cannot be judged; the message is one line that says why.

    Not the same as a refuted claim: a refuted claim was understood and found false.
    """
