"""`fogbound check`: does a game keep its contract, and which forms does it have?"""

from __future__ import annotations

from argparse import SUPPRESS
from typing import Any

from fogbound import api
from fogbound.api.checking import MOST_STATES, SECONDS
from fogbound.cli.console import counting_number, make_parser, positive, say, say_json, typed, waited, whisper
from fogbound.cli.progress import following
from fogbound.driver.clock import Clock

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
    with following(args.game) as followed:
        clock = Clock(waited())
        found = api.check(args.game, limit=args.limit, seconds=args.seconds, clock=clock, tell=followed.tell)
    if args.json:
        listed: dict[str, Any] = {"forms": [vars(form) for form in found.forms]}
        if "form" not in found.notes:
            listed = {"contract": [vars(finding) for finding in found.contract], **listed, "stopped": found.stopped}
        say_json({"game": found.game, **found.notes, **listed})
    else:
        say(typed(str(found)))
    stopped = found.stopped
    if stopped:
        what = "the forms were listed" if found.contract else "anything was checked"
        more = f" (--seconds {args.seconds:g}; give it more, or a lower --limit)" if stopped == "seconds" else ""
        whisper(f"fogbound: {stopped} before {what}{more}")
    return STOPPED.get(stopped, 0)
