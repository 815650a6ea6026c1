"""`python -m benchmarks [--only SECTION] [--rounds N] [--json]`, from the repository's root."""

from __future__ import annotations

import argparse
import json
import os
import platform

from benchmarks import (
    batch,
    cold_start,
    enumeration,
    gambit,
    information_sets,
    levels,
    lookahead,
    markov,
    one_sided,
    openspiel,
    pomdp,
    posg,
    regret,
    resolve,
    sampling_planners,
    search,
    shards,
    teams,
)

SECTIONS = {
    "batch": batch,
    "enumeration": enumeration,
    "regret": regret,
    "pomdp": pomdp,
    "levels": levels,
    "lookahead": lookahead,
    "one-sided": one_sided,
    "markov": markov,
    "posg": posg,
    "teams": teams,
    "resolve": resolve,
    "search": search,
    "sampling-planners": sampling_planners,
    "openspiel": openspiel,
    "gambit": gambit,
    "information-sets": information_sets,
    "shards": shards,
    "cold-start": cold_start,
}


def main() -> None:
    options = _options()
    names = [options.only] if options.only else list(SECTIONS)
    machine = f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} processors"
    results = {}
    if not options.json:
        print(machine)
    for name in names:
        results[name] = SECTIONS[name].measure(options.rounds)
        if not options.json:
            print("", SECTIONS[name].show(results[name]), sep="\n", flush=True)
    if options.json:
        print(json.dumps({"machine": machine, **results}, indent=2))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="How fast Fogbound is, beside a peer.")
    parser.add_argument("--only", choices=SECTIONS, help="this section alone")
    parser.add_argument("--rounds", type=_positive, default=7, help="how often everything is measured (7)")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of tables")
    return parser.parse_args()


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} rounds, expected at least 1")
    return number


if __name__ == "__main__":
    main()
