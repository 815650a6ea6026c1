"""`fogbound check`: does a game keep its contract, and which forms does it have?"""

from __future__ import annotations

from argparse import SUPPRESS
from typing import Any

from fogbound.cli.console import counting_number, make_parser, positive, say, say_json, typed, waited, whisper
from fogbound.cli.progress import following
from fogbound.core.errors import Stopped, many
from fogbound.driver.clock import Clock
from fogbound.driver.limits import Limits, preparing
from fogbound.forms.protocol import Form
from fogbound.naming import games as naming

MOST_STATES = 100_000
SECONDS = 60.0
STOPPED = {"interrupted": 130, "terminated": 143}


def main(words: list[str]) -> int:
    parser = make_parser(
        "check",
        "Hold a game against its contract and list its forms: how large each is, or why there is none.",
        "  fogbound check leduc\n  fogbound check my_game.py:MyGame",
    )
    parser.add_argument("game", metavar="GAME")
    parser.add_argument(
        "--limit",
        type=counting_number,
        metavar="N",
        help=f"let forms have up to N states or nodes (default {MOST_STATES} states)",
    )
    parser.add_argument("--states", dest="limit", type=counting_number, help=SUPPRESS)  # as it was called first
    parser.add_argument(
        "--seconds", type=positive, default=SECONDS, metavar="S", help=f"stop after so long (default {SECONDS:g})"
    )
    parser.add_argument("--json", action="store_true", help="as one JSON object")
    args = parser.parse_args(words)
    from fogbound.forms.available import Counted, available_from, enumerated
    from fogbound.forms.tree import MOST_NODES
    from fogbound.testing import checking_game

    findings: list[Any] = []
    forms: list[Any] = []
    stopped = ""
    with following(args.game) as followed:
        limits = Limits(args.seconds, Clock(waited()), tell=followed.tell)
        with preparing(limits, "the game was being read"):
            game = naming.problem(args.game)
        if isinstance(game, Form):
            return _tell_form(game, args.json)
        try:
            with preparing(limits, "the game was being checked"):
                followed.tell("checking")
                source = enumerated(game, args.limit or MOST_STATES)
                for finding in checking_game(game, source):
                    findings.append(finding)  # what is there when it is stopped stays
                followed.tell("forms")
                forms = available_from(
                    source, args.limit or MOST_NODES, game.counted() if isinstance(game, Counted) else {}
                )
        except Stopped as stop:
            stopped = stop.reason
    if args.json:
        listed = {"contract": [vars(f) for f in findings], "forms": [vars(f) for f in forms]}
        say_json({"game": str(game), **_from_file(str(game), game), **listed, "stopped": stopped})
    else:
        _tell(game, findings, forms)
    if stopped:
        what = "the forms were listed" if findings else "anything was checked"
        more = f" (--seconds {args.seconds:g}; give it more, or a lower --limit)" if stopped == "seconds" else ""
        whisper(f"fogbound: {stopped} before {what}{more}")
    return STOPPED.get(stopped, 0)


def _tell_form(form: Form, as_json: bool) -> int:
    """What there is to say of a file that describes a form and no rules that could be checked."""
    from fogbound.forms.available import available

    found, forms = {**_from_file(form.spec), "form": form.describe()}, available(form)
    if as_json:
        say_json({"game": form.spec, **found, "forms": [vars(one) for one in forms]})
        return 0
    say(f"{form.spec}: {many(len(form.players), 'player')} ({', '.join(form.players)})")
    for what, words in found.items():
        say(f"  {what}: {words}")
    _tell_forms(forms)
    return 0


def _from_file(name: str, game: Any = None) -> dict[str, str]:
    """What a tree from outside says of itself, beyond what a game can: who forgets, whether times can be aligned."""
    if hasattr(game, "structure"):
        return {key: str(found) for key, found in vars(game.structure).items()}
    if not name.endswith(".efg"):
        return {}
    from fogbound.files.gambit import read_efg, structure

    return {key: str(found) for key, found in vars(structure(read_efg(name))).items()}


def _tell(game: Any, findings: list[Any], forms: list[Any]) -> None:
    say(f"{game}: {many(len(game.players), 'player')} ({', '.join(game.players)})")
    for what, found in _from_file(str(game), game).items():
        say(f"  {what}: {found}")
    signs = {"ok": "✓", "warning": "!", "skipped": "~"}
    for finding in findings:
        say(f"  {signs[finding.mark]} {finding.words}")
    _tell_forms(forms)


def _tell_forms(forms: list[Any]) -> None:
    say("forms" if forms else "forms: not looked at")
    for form in forms:
        say(typed(f"  {'✓' if form.exists else '✗' if form.known else '~'} {form}"))
