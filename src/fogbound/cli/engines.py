"""Who computes, as flags: this process, several of this machine, or a Ray cluster. The result is always the same."""

from __future__ import annotations

from typing import Any

from fogbound.cli.console import Parser, counting_number
from fogbound.core.errors import SpecError
from fogbound.parallel import ENGINES, Engine, processes, ray


def engine_flags(parser: Parser, verb: str = "play") -> None:
    """Say who computes: `engine_of` reads it."""
    parser.add_argument(
        "--workers",
        type=counting_number,
        metavar="W",
        help=f"{verb} in W processes (default 1); with --ray, in W at a time",
    )
    parser.add_argument(
        "--ray",
        nargs="?",
        const="local",
        metavar="ADDRESS",
        help=f"{verb} on a Ray cluster of your own: HOST:PORT of its head, auto for the one that runs here, or local "
        "(default) for one of this machine's cores; needs pip install 'fogbound[ray]'",
    )
    parser.add_argument(
        "--engine", metavar="ENGINE", help=f"{verb} on the engine of an installed package, such as dask(address=HOST)"
    )


def engine_of(args: Any) -> Engine:
    """The engine that the flags name."""
    if args.engine is not None:
        if args.ray is not None or args.workers is not None:
            raise SpecError("--engine, --ray and --workers each say who computes, expected one of them")
        return ENGINES.make(args.engine)
    if args.ray is None:
        return processes(args.workers or 1)
    try:
        return ray(args.ray, args.workers or 0)
    except SpecError as error:
        near = "; write --ray last, or --ray=local" if "the address" in str(error) else ""
        raise SpecError(f"{error}{near}") from None
