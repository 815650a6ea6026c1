"""How the command line speaks: argument parsers alike, numbers with a true minus, JSON on one line."""

from __future__ import annotations

import argparse
import json
import math
import sys
from typing import Any, NoReturn

from fogbound.core.errors import SpecError


class Parser(argparse.ArgumentParser):
    """An argument parser whose complaints are Fogbound's: one line, exit code 2."""

    def error(self, message: str) -> NoReturn:
        raise SpecError(f"{self.prog}: {message} (see {self.prog} --help)")


def make_parser(command: str, description: str, examples: str = "") -> Parser:
    return Parser(
        prog=f"fogbound {command}",
        description=description,
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def say(text: str = "") -> None:
    """An answer, to standard output."""
    sys.stdout.write(text + "\n")


def whisper(text: str) -> None:
    """A word beside the answer, to standard error."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def say_json(value: Any) -> None:
    """One JSON object on standard output; infinities become null, since JSON has none."""
    say(json.dumps(_finite(value), ensure_ascii=False))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def number(value: float, digits: int = 10) -> str:
    """A number for people: short, with a true minus sign."""
    if not math.isfinite(value):
        return "∞" if value > 0 else "−∞"
    text = f"{value + 0.0:.{digits}g}"
    return "0" if text == "-0" else text.replace("-", "−")


def positive(text: str) -> float:
    """A number above 0, for limits of time and gaps."""
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a number") from None
    if not value >= 0:
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a number of 0 or more")
    return value
