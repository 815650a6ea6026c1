"""OpenSpiel itself, imported when it is first asked for; a game of its by name, or one line that says why not."""

from __future__ import annotations

from typing import Any

from fogbound.core.errors import FormError, SpecError, brief, one_line
from fogbound.core.registry import suggestion

EXTRA = "fogbound[openspiel]"
_NEEDS_NOTHING = ("coop_to_1p",)  # says that it needs a game, and takes one by itself


def library() -> Any:
    """The module `pyspiel`.

    Raises
    ------
    SpecError
        It is not installed; the message names the extra.
    """
    try:
        import pyspiel
    except ImportError as error:
        raise SpecError(f"OpenSpiel is not installed: pip install '{EXTRA}'") from error
    return pyspiel


def loaded(text: str) -> Any:
    """A game of OpenSpiel's, named in its own words: ``kuhn_poker``, ``kuhn_poker(players=3)``.

    Parameters
    ----------
    text
        What `pyspiel.load_game` takes.

    Raises
    ------
    SpecError
        There is no such game, or it takes other parameters.
    FormError
        It is of a kind that has no histories with known chances.
    """
    pyspiel, name = library(), text.partition("(")[0].strip()
    if name.startswith("python_"):
        import open_spiel.python.games  # noqa: F401 - importing registers them
    kinds = {kind.short_name: kind for kind in pyspiel.registered_games()}
    if name not in kinds:
        raise SpecError(f"OpenSpiel has no game {brief(name)}{suggestion(name, kinds)}")
    kind = kinds[name]
    if kind.action_structs_only:
        raise FormError(f"OpenSpiel's {name} does not list its legal actions, so nobody can choose among them")
    if not kind.default_loadable and "(" not in text and name not in _NEEDS_NOTHING:
        listed = ", ".join(sorted(kind.parameter_specification))
        raise SpecError(f"OpenSpiel's {name} needs parameters, {name}(…=…), among: {listed}")
    try:
        made = pyspiel.load_game(text)
    except Exception as error:
        raise SpecError(f"OpenSpiel refuses {brief(text)}: {one_line(str(error).strip(), 200)}") from error
    require_known_chances(made)
    return made


def require_known_chances(game: Any) -> None:
    """Refuse games in which chance, or a whole population, is not a list of outcomes with probabilities."""
    pyspiel, kind = library(), game.get_type()
    if kind.dynamics == pyspiel.GameType.Dynamics.MEAN_FIELD:
        raise FormError(f"{kind.short_name}: a mean-field game, whose moves depend on how a whole population plays")
    if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        raise FormError(f"{kind.short_name}: draws its chance inside and tells no probabilities, so it has no forms")
