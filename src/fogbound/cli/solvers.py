"""`fogbound solvers`: how games can be solved."""

from __future__ import annotations

from fogbound.cli.console import make_parser, say, say_json
from fogbound.core.registry import parameters
from fogbound.solvers import SOLVERS


def main(words: list[str]) -> int:
    parser = make_parser("solvers", "The solvers there are: what they find, in which form, with which parameters.")
    parser.add_argument("--json", action="store_true", help="as one JSON object")
    args = parser.parse_args(words)
    listed = []
    for name in SOLVERS:
        cls = SOLVERS.load(name)
        fields = {p.name: p.default for p in parameters(cls)}
        about = (cls.__doc__ or "").strip().splitlines()[0]
        listed.append({"name": name, "finds": cls.finds, "form": cls.form, "parameters": fields, "about": about})
    if args.json:
        say_json({"solvers": listed})
        return 0
    for entry in listed:
        flags = " ".join(f"--{k.replace('_', '-')} {v}" for k, v in entry["parameters"].items())
        say(f"{entry['name']:<20} {entry['finds']} on the {entry['form']} form   {flags}\n    {entry['about']}")
    return 0
