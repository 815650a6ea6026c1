"""`fogbound demo`: the questions answered on the documents' games, published figures beside ours."""

from __future__ import annotations

import time
from dataclasses import asdict
from importlib.metadata import entry_points
from pathlib import Path

from fogbound.cli.console import claim_lines, make_parser, say, say_json
from fogbound.cli.progress import working


def main(words: list[str]) -> int:
    parser = make_parser("demo", "The questions that this version answers, with the published figures beside ours.")
    parser.add_argument("-o", "--output", metavar="FOLDER", help="also write the strategies as pictures into FOLDER")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    args = parser.parse_args(words)
    began = time.monotonic()
    with working("solving 8-card poker, King-Ace and the tiger problem"):
        (questions,) = (entry.load() for entry in entry_points(group="fogbound.demo"))
        answered = list(questions(Path(args.output) if args.output else None))
    claims = [claim for _, listed in answered for claim in listed]
    if args.json:
        say_json({"questions": [{"question": q, "claims": [asdict(c) for c in listed]} for q, listed in answered]})
        return int(any(claim.verdict == "refuted" for claim in claims))
    for question, listed in answered:
        say(f"\n{question}")
        say("\n".join(claim_lines(listed)))
    reproduced = sum(claim.verdict == "reproduced" for claim in claims)
    stated = sum(claim.verdict != "not stated" for claim in claims)
    say(f"\n{reproduced} of {stated} published figures reproduced (· = not stated), {time.monotonic() - began:.1f} s")
    if args.output:
        say(f"pictures in {args.output}")
    say("to play, solve and explore in a browser: fogbound serve")
    return int(any(claim.verdict == "refuted" for claim in claims))
