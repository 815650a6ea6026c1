"""Words and tables as LaTeX writes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_LETTERS = {
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "<": "\\textless{}",
    ">": "\\textgreater{}",
    "|": "\\textbar{}",
    '"': "\\textquotedbl{}",
    "\u00a0": "~",
    "\u202f": "\\,",
    "\u2009": "\\,",
    "−": "$-$",
    "×": "$\\times$",
    "·": "$\\cdot$",
    "±": "$\\pm$",
    "≤": "$\\le$",
    "≥": "$\\ge$",
    "≈": "$\\approx$",
    "∞": "$\\infty$",
    "→": "$\\to$",
    "←": "$\\leftarrow$",
    "↑": "$\\uparrow$",
    "↓": "$\\downarrow$",
    "…": "\\ldots{}",
    "–": "--",
    "—": "---",
    "♠": "$\\spadesuit$",
    "♥": "$\\heartsuit$",
    "♦": "$\\diamondsuit$",
    "♣": "$\\clubsuit$",
    "α": "$\\alpha$",
    "β": "$\\beta$",
    "γ": "$\\gamma$",
    "δ": "$\\delta$",
    "ε": "$\\varepsilon$",
    "λ": "$\\lambda$",
    "µ": "$\\mu$",
    "μ": "$\\mu$",
    "π": "$\\pi$",
    "σ": "$\\sigma$",
    "τ": "$\\tau$",
}


def escaped(words: str) -> str:
    """Words as LaTeX prints them.

    Examples
    --------
    >>> escaped("50 % of −1 & more")
    '50 \\\\% of $-$1 \\\\& more'
    """
    return "".join(_LETTERS.get(letter, letter) for letter in words)


def tabular(head: Sequence[str], rows: Iterable[Sequence[str]], columns: str) -> str:
    r"""A table with rules above and below its head, as the package booktabs draws them.

    Parameters
    ----------
    head
        The names of the columns.
    rows
        The cells, in words.
    columns
        How each column is set: ``l``, ``c`` or ``r``.

    Examples
    --------
    >>> print(tabular(["move", "p"], [["raise", "1/3"], ["fold", "2/3"]], "lr"), end="")
    % needs \usepackage{booktabs}
    \begin{tabular}{lr}
    \toprule
    move & p \\
    \midrule
    raise & 1/3 \\
    fold & 2/3 \\
    \bottomrule
    \end{tabular}
    """
    lines = [" & ".join(map(escaped, row)) + " \\\\" for row in (head, *rows)]
    body = ["\\toprule", lines[0], "\\midrule", *lines[1:], "\\bottomrule"]
    return "\n".join(
        ["% needs \\usepackage{booktabs}", f"\\begin{{tabular}}{{{columns}}}", *body, "\\end{tabular}", ""]
    )
