"""The logit path of a game: how likely each action is, by how rational the players are."""

from __future__ import annotations

from collections.abc import Hashable

from fogbound.core.drawing import Drawing
from fogbound.core.errors import SpecError, brief, one_line
from fogbound.core.game import AnyGame
from fogbound.core.numerals import decimal, number
from fogbound.core.svg import PALETTE
from fogbound.draw.chart import DASHES, Chart, ChartPanel, EndLabel, Series, SeriesStyle, linear_axis, log_axis
from fogbound.draw.rendering import draw_chart
from fogbound.driver.solution import Solution
from fogbound.forms.markov import MarkovGame, markov
from fogbound.forms.protocol import Form, derive

NAME = "The logit path"
HIGH = 282.0
MOST_LABELS = 14
Path = list[list[float | None]]  # rationality (None at the end), then how likely each choice is
Curve = tuple[str, int, list[float]]  # words, player, chances along the path


def logit_path(solution: Solution, *, game: AnyGame | Form, state: int | None = None, title: str = "") -> Drawing:
    """Draw how likely every action is along the path that `markov-nash` or `quantal-response` followed.

    Parameters
    ----------
    solution : Solution
        An answer of `markov-nash` or `quantal-response`, which keep their path.
    game : Game or Form
        The game that it is of.
    state : int
        Which state, by its number in the Markov game, or which information set, from 0 on in the order of the
        players; unless told, the likeliest start in which somebody chooses, or as many sets as have room.
    title : str
        The first line of the picture.

    Returns
    -------
    Drawing
        A curve for each action, solid for the first player, dashed for others; rationality is logarithmic, and a dot
        is the end of each curve. For `markov-nash` rationality is in units of the range of advantages over
        uniform play, for `quantal-response` in units of the payoffs themselves.

    Raises
    ------
    SpecError
        The solution has no such path, or there is no such state.

    Examples
    --------
    >>> import fogbound as fb
    >>> dilemma = fb.game("repeated(matrix=prisoners-dilemma)")
    >>> fb.draw.logit_path(fb.solve(dilemma, "markov-nash"), game=dilemma)
    <Drawing 620 × 434: The logit path: state (), from uniform play to an equilibrium, rationality up to 37.2.>
    """
    path, named = _path(solution), solution.details.get("choices")
    curves, where = _by_name(solution, path, state) if named else _by_state(game, path, state)
    followed = [point for point in path if point[0] is not None and point[0] > 0]
    reach = max((float(point[0] or 0) for point in followed), default=1.0)
    ends = "an equilibrium" if path[-1][0] is None else "here"
    said = f"{where}, from uniform play to {ends}, rationality up to {number(reach, 3)}"
    low = min((float(point[0] or 0) for point in followed), default=0.1)
    x, y = log_axis(low, max(reach, low * 1.01), "rationality"), linear_axis([0.0, 1.0], "probability")
    places = [x.high if point[0] is None else float(point[0] or low) for point in path]
    series = []
    for k, (words, player, chances) in enumerate(curves):
        look = SeriesStyle(PALETTE[k % len(PALETTE)], DASHES[player % len(DASHES)], radius=4)
        label = EndLabel(words, look.colour) if k < MOST_LABELS else None
        series.append(Series(list(zip(places, chances)), look, marked="end", label=label))
    text = "\n".join([f"{NAME}: {said}", *(f"{words:>30}" for words, *_ in curves)]) + "\n"
    return draw_chart(Chart(NAME, said, [[ChartPanel(x, y, series, HIGH)]], title, text=text))


def _path(solution: Solution) -> Path:
    path = solution.details.get("path")
    if not isinstance(path, list) or len(path) < 2:
        raise SpecError(
            f"{solution.provenance['solver']} kept no logit path: solve with markov-nash or quantal-response"
        )
    return path


def _by_state(game: AnyGame | Form, path: Path, state: int | None) -> tuple[list[Curve], str]:
    """The curves of a state of a Markov game, and the state in words."""
    form = derive(game, MarkovGame) if not isinstance(game, MarkovGame) else markov(game)
    choices = [int(first[-1]) for first in form.first]
    if any(len(point) != 1 + sum(choices) for point in path):
        raise SpecError(f"the path has {len(path[0]) - 1} choices, expected {sum(choices)}: it is not of {form.spec}")
    chosen = _state(form) if state is None else state
    if not 0 <= chosen < form.size or not form.live[chosen]:
        raise SpecError(f"state {chosen}, expected one from 0 to {form.size - 1} in which play goes on")
    return _curves(form, path, chosen), f"state {brief(form.states[chosen])}"


def _by_name(solution: Solution, path: Path, state: int | None) -> tuple[list[Curve], str]:
    """The curves of choices that the answer names, set by set, and how many of them there are in words."""
    names, players = list(map(str, solution.details["choices"])), list(solution.provenance["players"])
    places = list(solution.details.get("sets", ()))
    if len(places) != len(names) or any(len(point) != 1 + len(names) for point in path):
        raise SpecError(f"the path has {len(path[0]) - 1} choices, of which {len(names)} have names")
    by_set: dict[int, list[int]] = {}
    for k, place in enumerate(places):
        by_set.setdefault(place, []).append(k)
    sets = [one for one in by_set.values() if len(one) > 1]
    if state is not None and not 0 <= state < len(sets):
        raise SpecError(f"state {state}, expected an information set from 0 to {len(sets) - 1}")
    room = MOST_LABELS
    shown = [sets[state]] if state is not None else []
    for one in sets if state is None else []:
        if len(one) <= room:
            shown.append(one)
            room -= len(one)
    curves: list[Curve] = []
    for k in (k for one in shown for k in one):
        player = next((i for i, name in enumerate(players) if names[k].startswith(f"{name}: ")), 0)
        chances = [float(point[1 + k] or 0.0) for point in path]
        words = f"{one_line(names[k], 34)} {decimal(chances[-1])}"
        curves.append((words, player, chances))
    where = f"information set {state}" if state is not None else f"{len(shown)} of {len(sets)} information sets"
    return curves, where


def _state(form: MarkovGame) -> int:
    """The likeliest start in which somebody chooses, else the first such state."""
    choosing = [s for s in range(form.size) if form.live[s] and form.width[s].max() > 1]
    return max(choosing, key=lambda s: float(form.start[s]), default=0)


def _curves(form: MarkovGame, path: Path, state: int) -> list[Curve]:
    """The curve of every action of a state, of those who choose."""
    curves: list[Curve] = []
    offset = 1
    for player, first in enumerate(form.first):
        actions: tuple[Hashable, ...] = form.actions(state, player)
        for place, action in enumerate(actions if len(actions) > 1 else ()):
            column = offset + int(first[state]) + place
            chances = [float(point[column] or 0.0) for point in path]
            words = f"{form.players[player]}: {one_line(str(action), 18)} {decimal(chances[-1])}"
            curves.append((words, player, chances))
        offset += int(first[-1])
    return curves
