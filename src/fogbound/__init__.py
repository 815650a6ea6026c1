"""Fogbound: solve and play games whose players cannot see everything.

Hand over a game and ask; the form that a solver needs is derived from it, and every answer comes with its bounds.

>>> import fogbound as fb
>>> answer = fb.solve("card-poker(ranks=3)", "sequence-lp")    # what is safe against anyone?
>>> round(answer.value, 6), answer.certified
(-0.055556, 'both')
>>> fb.solve("card-poker(ranks=8)", against="uniform").value   # what is best against this opponent?
0.5

A game is a spec, a model file, a class in a file of your own, or an object:

=====================================  =========================================================
``fb.game("po-nim(n=3)")``             a game with its parameters; ``fb.games()`` lists them
``fb.game("tiger.pomdp")``             a model file
``fb.game("my_game.py:MyGame")``       your own: four methods, see `fogbound.Game`
``fb.game("my_model.py:Model")``       a model that can only be sampled, see `fogbound.Simulator`
``fb.pomdp(T, O, R, discount)``        arrays; also ``fb.mdp``, ``fb.markov_game``, ``fb.posg``
``fb.matrix_game(A, B)``               payoff matrices; ``fb.tree([…], players)`` is a tree as nested lists
=====================================  =========================================================

What can be done with it:

=====================================  =========================================================
``fb.solve(game, solver, …)``          an answer; ``fb.solvers()`` lists how, and one is chosen without
``answer.policy(player)``              how it plays; ``answer.save(path)``, ``fb.load(path)``
``answer.agent(player)``               the same for a control loop: told what it sees, it says what to do
``answer.verify()``                    the independent checker's word, in exact arithmetic
``fb.match(game, one, two)``           policies against each other; ``fb.play_out`` plays one game
``fb.tournament(game, one, two)``      the same deals in each other's seats: who plays better?
``fb.sweep(games, solvers, seeds=5)``    which solver closes the gap fastest, with intervals over seeds
``fb.local_best_response(game, one)``  how far a policy can be exploited at least, without a tree
``fb.policy("uniform", game)``         a policy by name, from a file, or from a solver
``fb.subgame(game, history)``          the rest of a game after what has happened
``fb.check(game)``                     does it keep its contract, and which forms does it have?
``fb.dominance(game)``                 dominated strategies taken away, with what dominates them
``fb.equilibria(game)``                every equilibrium of a small game, with labels and beliefs
``fb.convert(game, "x.pomdp")``        other programs' formats
``fb.evaluate(game, one, two)``        what policies earn, regrets, exploitability: exactly, or by episodes
``fb.look(answer)``                    an answer as strategy, controller, tree, beliefs or matrix
``fb.draw``                            pictures
``fb.interop``                         environments to learn in, and agents that were trained there
``fb.forms``, ``fb.policies``          the arrays behind it all; ways to play
=====================================  =========================================================

Everything is imported only when it is first used, so that `import fogbound` costs next to nothing. That includes the
standard library: the command line answers Ctrl-C only once this module is imported.
"""

import sys

TYPE_CHECKING = False  # as type checkers see it, without importing `typing`
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, Protocol

    from fogbound._version import __version__
    from fogbound.api import (
        Catalogue,
        agent,
        check,
        convert,
        dominance,
        equilibria,
        evaluate,
        game,
        load,
        local_best_response,
        look,
        markov_game,
        match,
        matrix_game,
        mdp,
        merge,
        play_out,
        policy,
        pomdp,
        posg,
        rules,
        save,
        solve,
        solver,
        subgame,
        sweep,
        tournament,
        tree,
        verify,
    )
    from fogbound.core import Board, Dist, FogboundError, Game, Observation, Outcome, Policy, Tile
    from fogbound.core.game import AnyGame
    from fogbound.core.spec import Spec
    from fogbound.driver.protocol import Progress, Until
    from fogbound.driver.solution import Solution
    from fogbound.driver.solver import Solver
    from fogbound.simulators.simulator import Simulator

    class _Games(Protocol):
        """A package that can be called, as type checkers see it: for them no module can."""

        def __call__(self) -> Catalogue: ...
        def make(self, spec: Spec | str) -> AnyGame: ...

    class _Solvers(Protocol):
        """The same."""

        def __call__(self) -> Catalogue: ...
        def make(self, spec: Spec | str) -> Any: ...

    games: _Games
    solvers: _Solvers
else:
    ModuleType = type(sys)

_PLACES = {
    "__version__": "_version",
    **dict.fromkeys(("Board", "Dist", "FogboundError", "Game", "Observation", "Outcome", "Policy", "Tile"), "core"),
    **dict.fromkeys(("Progress", "Until"), "driver.protocol"),
    "Solution": "driver.solution",
    "Solver": "driver.solver",
    "Simulator": "simulators.simulator",
    **dict.fromkeys(("agent", "check", "convert", "dominance", "equilibria", "evaluate"), "api"),
    **dict.fromkeys(("game", "load", "local_best_response", "match", "merge"), "api"),
    **dict.fromkeys(("look", "play_out", "policy", "rules", "save", "solve", "solver", "subgame"), "api"),
    **dict.fromkeys(("sweep", "tournament"), "api"),
    **dict.fromkeys(("markov_game", "matrix_game", "mdp", "pomdp", "posg", "tree"), "api"),
}
_OPEN = ("arena", "core", "draw", "evaluation", "files", "forms", "inference", "interop", "parallel")
_MODULES = (*_OPEN, "policies", "testing", "transforms")
_CALLED = ("games", "solvers", "verify")  # packages that are also questions: fb.games() lists

__all__ = [
    "Board",
    "Dist",
    "FogboundError",
    "Game",
    "Observation",
    "Outcome",
    "Policy",
    "Progress",
    "Simulator",
    "Solution",
    "Solver",
    "Tile",
    "Until",
    "__version__",
    "agent",
    "arena",
    "check",
    "convert",
    "core",
    "dominance",
    "draw",
    "equilibria",
    "evaluate",
    "evaluation",
    "files",
    "forms",
    "game",
    "games",
    "inference",
    "interop",
    "load",
    "local_best_response",
    "look",
    "markov_game",
    "match",
    "matrix_game",
    "mdp",
    "merge",
    "parallel",
    "play_out",
    "policies",
    "policy",
    "pomdp",
    "posg",
    "rules",
    "save",
    "solve",
    "solver",
    "solvers",
    "subgame",
    "sweep",
    "testing",
    "tournament",
    "transforms",
    "tree",
    "verify",
]


class _Called(ModuleType):
    """A package whose name is also a question at the front door: calling it asks."""

    def __call__(self, *given: "Any", **named: "Any") -> "Any":
        return getattr(_module("fogbound.api"), self.__name__.rpartition(".")[2])(*given, **named)

    def __reduce__(self) -> "tuple[Any, ...]":
        """By name, so that a class of one's own travels to other machines though its file says `import fogbound`."""
        return _module, (self.__name__,)


class _Front(ModuleType):
    """The package itself: what is imported below it and can be asked becomes callable as it arrives."""

    def __setattr__(self, name: str, value: "Any") -> None:
        if name in _CALLED and isinstance(value, ModuleType):
            value.__class__ = type("_Called", (_Called, type(value)), {})  # it may be lazy
        super().__setattr__(name, value)

    __reduce__ = _Called.__reduce__


sys.modules[__name__].__class__ = _Front


def _module(name: str) -> ModuleType:
    import importlib

    return importlib.import_module(name)


def __getattr__(name: str) -> "Any":
    if name in _PLACES:
        found = getattr(_module(f"fogbound.{_PLACES[name]}"), name)
        if isinstance(found, type):
            globals()[name] = found  # rules say fb.Outcome millions of times
        return found
    if name in _MODULES or name in _CALLED:
        return _module(f"fogbound.{name}")
    raise AttributeError(f"module 'fogbound' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
