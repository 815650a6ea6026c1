"""The payoffs of a two-player game as a LaTeX table, in the way of textbooks: "3, 1", pure equilibria in bold."""

from __future__ import annotations

from fogbound.core.game import AnyGame
from fogbound.core.latex import escaped
from fogbound.core.profile import Profile
from fogbound.draw.matrix.payoffs import MOST, cell, missing, pure_chances, require_two, titles
from fogbound.evaluation.dominance import pure_equilibria, strategy_names
from fogbound.forms import words
from fogbound.forms.normal import NormalForm
from fogbound.forms.protocol import Form, derive
from fogbound.forms.words import Describe, label


def matrix_latex(
    form: AnyGame | Form,
    *,
    profile: Profile | None = None,
    describe: Describe = str,
    most: int = MOST,
) -> str:
    r"""Write the payoffs of a two-player game as LaTeX, for the package booktabs.

    Parameters
    ----------
    form : Game or Form
        The normal form, or what it can be derived from.
    profile : Solution or profile, optional
        How both play, such as an equilibrium: a last column and a last row say how likely each strategy is.
    describe : callable
        An action in words, such as `game.describe`.
    most : int
        How many rows and columns are written; a comment says how many are missing.

    Returns
    -------
    str
        A `tabular` to `\input`. Pure equilibria are bold.

    Examples
    --------
    >>> import fogbound as fb
    >>> print(matrix_latex(fb.game("matrix-game(matrix=stag-hunt)")), end="")
    % matrix-game(matrix=stag-hunt, payoffs=[]): 2 × 2 pure strategies: what first gets, then what second gets
    % needs \usepackage{booktabs}
    \begin{tabular}{lcc}
     & \multicolumn{2}{c}{second} \\
    \cmidrule(l){2-3}
    first & stag & hare \\
    \midrule
    stag & \textbf{4, 4} & 0, 3 \\
    hare & 3, 0 & \textbf{3, 3} \\
    \bottomrule
    \end{tabular}
    """
    form = derive(form, NormalForm)
    require_two(form)
    shown = [
        list(names[: max(1, most)]) for names in strategy_names(form, lambda a: words.action(describe, a)).strategies
    ]
    chances = None if profile is None else pure_chances(form, profile)
    stable = set(pure_equilibria(form))
    first, second = (escaped(label(player)) for player in form.sequence.players)
    across = len(shown[1])
    lines = [f"% {': '.join(titles(form))}", *(f"% {line}" for line in missing(form, shown))]
    lines += ["% needs \\usepackage{booktabs}", f"\\begin{{tabular}}{{l{'c' * across}{'r' if chances else ''}}}"]
    lines += [f" & \\multicolumn{{{across}}}{{c}}{{{second}}} \\\\", f"\\cmidrule(l){{2-{1 + across}}}"]
    lines += [_row([first, *map(escaped, shown[1])]), "\\midrule"]
    for j, name in enumerate(shown[0]):
        cells = [_cell(form, j, k, (j, k) in stable) for k in range(across)]
        lines.append(_row([escaped(name), *cells, *([escaped(chances[0][j])] if chances else [])]))
    if chances:
        lines += ["\\midrule", _row(["", *map(escaped, chances[1][:across]), ""])]
    return "\n".join([*lines, "\\bottomrule", "\\end{tabular}", ""])


def _cell(form: NormalForm, row: int, column: int, stable: bool) -> str:
    payoffs = escaped(", ".join(cell(form, row, column)))
    return f"\\textbf{{{payoffs}}}" if stable else payoffs


def _row(cells: list[str]) -> str:
    return " & ".join(cells) + " \\\\"
