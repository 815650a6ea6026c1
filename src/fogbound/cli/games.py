"""`fogbound games`: what there is to play."""

from __future__ import annotations

from fogbound.cli.console import make_parser, say, say_json
from fogbound.core.registry import Registry, parameters
from fogbound.games import GAMES
from fogbound.transforms import TRANSFORMS


def main(words: list[str]) -> int:
    parser = make_parser("games", "The games there are, with their parameters and defaults.")
    parser.add_argument("--json", action="store_true", help="as one JSON object")
    args = parser.parse_args(words)
    if args.json:
        say_json({"games": _listed(GAMES), "transforms": _listed(TRANSFORMS)})
        return 0
    for title, registry in (("Games", GAMES), ("Games made from games", TRANSFORMS)):
        say(title)
        for entry in _listed(registry):
            given = ", ".join(f"{k}={v}" if v is not None else k for k, v in entry["parameters"].items())
            name = f"{entry['name']}({given})" if given else entry["name"]
            say(f"  {name}\n      {entry['about']}")
    say("Your own: my_game.py:MyGame")
    return 0


def _default(value: object) -> object:
    """A default that prints as a spec writes it; None where there is nothing to show."""
    if isinstance(value, tuple):
        return list(value) or None
    return value if isinstance(value, int | float | str) else None


def _listed(registry: Registry) -> list[dict]:  # type: ignore[type-arg]
    """Name, parameters and first line of the docstring of each entry."""
    listed = []
    for name in registry:
        cls = registry.load(name)
        fields = {p.name: _default(p.default) for p in parameters(cls)}
        listed.append({"name": name, "parameters": fields, "about": (cls.__doc__ or "").strip().splitlines()[0]})
    return listed
