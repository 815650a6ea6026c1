"""Retired words and phrases: how often each still stands in what people read, and what to write instead.

`python -m tests.house.style` prints the counts. A count may fall and never rise: new text is written once, in the
field's terms; old text is rewritten page by page.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
READ = ("src/**/*.py", "src/**/*.html", "docs/*.md", "README.md", "CONTRIBUTING.md")

RETIRED = {  # pattern: what to write instead
    r"\btwins?\b|Twin": "compiled rules",
    r"\bKept\b": "checkpoint data",
    r"\blift(s|ed)?\b": "show beliefs",
    r"\bdesk\b": "work arrays",
    r"\bSight\b": "what the rules allow",
    r"\brungs?\b": "level",
    r"\btolls?\b": "expected remaining steps",
    r"\bshel(f|ves)\b": "folder",
    r"\bsittings?\b|Sitting": "match room",
    r"\bhaste\b|HASTE": "wrap_up",
    r"\b[Ww]hoever\b": "the subject of the sentence: the caller, the solver, the player",
    r"\bso many\b": "the number",
    r"\bheld? for true\b": "belief, particles",
    r"\bhad again\b": "from the replay",
    r"what is owed": "residual",
    r"or so close": "relative gap",
    r"that never look": "blind policy",
    r"nobody can ask everywhere": "where enumeration is impossible",
    r"gone on with": "resumed",
    r"\bnobody\b|\bsomebody\b|\bNobody\b|\bSomebody\b": "the caller, a player, no player",
}


def occurrences() -> Counter[str]:
    """How often each pattern stands in sources and pages."""
    text = "\n".join(path.read_text(encoding="utf-8") for pattern in READ for path in sorted(ROOT.glob(pattern)))
    return Counter({pattern: sum(1 for _ in re.finditer(pattern, text)) for pattern in RETIRED})


if __name__ == "__main__":
    for pattern, many in occurrences().items():
        sys.stdout.write(f"    {pattern!r}: {many},\n")
