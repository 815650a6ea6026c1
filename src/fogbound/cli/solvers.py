"""`fogbound solvers`: how games can be solved."""

from __future__ import annotations

from fogbound import api
from fogbound.cli.console import make_parser, say, say_json
from fogbound.core.spec import parameter_text
from fogbound.naming.solvers import starting


def main(words: list[str]) -> int:
    parser = make_parser("solvers", "The solvers there are: what they find, in which form, with which parameters.")
    parser.add_argument("--json", action="store_true", help="as one JSON object")
    args = parser.parse_args(words)
    listed = api.solvers()
    if args.json:
        names = ("name", "finds", "form", "parameters", "about")
        say_json({"solvers": [{name: getattr(entry, name) for name in names} for entry in listed]})
        return 0
    starts = {spec.partition("(")[0] for spec in starting()}
    for entry in listed:
        flags = " ".join(
            f"--{key.replace('_', '-')} {parameter_text(value)}" for key, value in entry.parameters.items()
        )
        begins = ", from a solution where one is given" if entry.name in starts else ""
        say(f"{entry.name:<20} {entry.finds} on the {entry.form} form{begins}   {flags}\n    {entry.about}")
    return 0
