"""python -m fogbound.verify FORM.npz SOLUTION.npz: exit 0 proven, 1 refuted, 2 bad input."""

import json
import sys

from . import Refused, Report, check, read_header, read_npz

USAGE = "usage: python -m fogbound.verify [--json] FORM.npz SOLUTION.npz"
PREFIX = "certificate/"


def main(arguments: list[str]) -> int:
    """Check one solution against one form and say what is proven."""
    as_json, arguments = "--json" in arguments, [word for word in arguments if word != "--json"]
    if len(arguments) != 2:
        print(USAGE, file=sys.stderr)
        return 2
    at = arguments[0]
    try:
        form = read_npz(arguments[0])
        at = arguments[1]
        header = read_header(read_npz(arguments[1], part="header")).get("certificate")
        if not isinstance(header, dict):
            raise Refused("the header holds no certificate")
        parts = {name.removeprefix(PREFIX): found for name, found in read_npz(arguments[1], part=PREFIX).items()}
        at = f"{arguments[1]} on {arguments[0]}"
        report = check(header, form, parts)
    except Refused as fault:
        return _bad(f"{at}: {fault}")
    except MemoryError:
        return _bad(f"{at}: not enough memory to check this")
    print(json.dumps(vars(report)) if as_json else _in_words(report))
    return 0 if report.refuted is None else 1


def _in_words(report: Report) -> str:
    """The report in words, one line a fact."""
    lines = [f"{report.kind}: player {report.player}: certified interval [{report.lower!r}, {report.upper!r}]"]
    lines += [f"level {level} of player {player}: [{low!r}, {high!r}]" for level, player, low, high in report.levels]
    if report.regret is not None:
        lines.append(f"largest gain by a best reply: at most {report.regret!r}")
    if report.refuted is not None:
        lines.append(f"refuted: {report.refuted}")
    lines.append("about the evidence in the file; that its policies play it is checked by: fogbound verify GAME FILE")
    return "\n".join(lines)


def _bad(text: str) -> int:
    """One line on standard error, short and without control characters."""
    print("".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)[:500], file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
