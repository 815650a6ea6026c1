"""Print the figures: ``python -m tests.house``, and with ``--list`` every place that is counted."""

from __future__ import annotations

import sys

from tests.house import running, static


def main(listed: bool) -> None:
    """One line a figure."""
    lines, found = static.code_lines(), static.discoveries()
    rows: list[tuple[str, object, list[str]]] = [("code lines in src", sum(lines.values()), [])]
    rows += [(f"  {package}", count, []) for package, count in lines.most_common()]
    rows += [("getattr and hasattr", static.probes(), [])]
    rows += [(f"  capabilities discovered on {role}", len(places), places) for role, places in found.items()]
    repeated = static.repeated_names()
    rows += [("public function names with several homes", len(repeated), [f"{k}: {v}" for k, v in repeated.items()])]
    rows += [("lists of kinds of certificates", len(static.kind_lists()), static.kind_lists())]
    rows += [("banner comments", len(static.banners()), static.banners())]
    unsure = static.any_in_signatures("fogbound.api")
    rows += [("signatures of fogbound.api with Any", len(unsure), unsure)]
    path = running.form_path()
    rows += [("calls that hand on the form below SARSOP.run", len(path), path)]
    rows += [("modules loaded by solve leduc", running.modules_loaded(), [])]
    rows += [(f"{name}, share of import numba", f"{share:.2f}", []) for name, share in running.start_up().items()]
    for name, figure, places in rows:
        print(f"{name:<70} {figure:>8}")
        if listed:
            print(*(f"    {place}" for place in places), sep="\n")


if __name__ == "__main__":
    main("--list" in sys.argv)
