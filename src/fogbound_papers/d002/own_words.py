"""What document 002 says of its own tables and algorithms: sentences held against what it prints itself."""

from __future__ import annotations

from collections.abc import Iterator

from fogbound_papers.claim import Claim, unchecked, verdict
from fogbound_papers.d002.published import TABLES, Times
from fogbound_papers.d002.study import Study

SECONDS = {table.name: table for table in TABLES}


def claims(study: Study) -> Iterator[Claim]:
    said = sentences()
    right = [words for words, holds in said.items() if holds]
    wrong = [words for words, holds in said.items() if not holds]
    words = "; ".join(right) + (f"; not: {'; '.join(wrong)}" if wrong else "")
    ours = f"{len(right)} of {len(said)} agree"
    yield Claim("what the text says of its own tables", "§ 5.2", "the tables", ours, verdict(not wrong), words)
    start, whole = (_printed(times)[0] for times in (SECONDS["5.2"].start, SECONDS["5.2"].below[1]))
    words = f"{start} of {whole} s in its own Table 5.2"
    statement, ours = "initialising takes an imperceptible time", f"{start / whole:.0%}"
    yield Claim(statement, "§ 2.2.2", "should", ours, verdict(start / whole < 0.1), words)
    yield _one_game_each()
    yield _nodes(study)
    yield unchecked(
        "#18's shape gives the cops a big advantage", "§ 5.2.2", "a guess at a cause; its map is not printed"
    )
    yield unchecked("there is a big potential in choosing actions", "§ 5.2.3, ch. 6", "a judgement; see what follows")


def sentences() -> dict[str, bool]:
    """Sentences of section 5.2 and chapter 6, and whether the tables have it so."""
    isg, hisg, isg_60, hisg_60 = (SECONDS[name] for name in ("5.3", "5.4", "5.5", "5.6"))
    plain, large = SECONDS["5.2"], SECONDS["5.7"]
    (alone,), (begin,), (first,) = map(_printed, (plain.below[1], plain.start, large.start))
    last = [_printed(table.start)[-1] for table in (isg, hisg, isg_60, hisg_60)]
    grown, full = _printed(SECONDS["5.9"].below[10][1:])[0], _printed(large.below[6])[0]
    slower = [_printed(table.below[1]) for table in (isg, isg_60)]
    faster = [_printed(table.below[1]) for table in (hisg, hisg_60)]
    return {
        "three of four last games begin faster than 519 s": sum(seconds < begin for seconds in last) == 3,
        "ISG takes 1,203 s": sum(slower[0]) == 1203 > alone,
        "60 % take 371 s": slower[1][0] == 371,
        "30 % save 73 %": round(100 * (1 - faster[0][0] / alone)) == 73,
        "#24 begins 10 times as slowly": round(first / begin) == 10,
        "44 % of #24 take about 50 minutes, all 87": abs(grown / 60 - 50) < 2 and round(full / 60) == 87,
        "HISG is faster than ISG on #18, column by column": all(
            better < worse for pair in zip(faster, slower) for better, worse in zip(*pair)
        ),
        "44 % of #24 lie 7 points below all": round(70.3 - 63.4) == 7,
        "80 % of #24 lie within 10 points on average": 70.3 - 60.9 < 10,
        "30 % of #18 lie within 10 points on average": 79.33 - 70.2 < 10,
    }


def _printed(times: Times) -> list[int]:
    """Seconds, without the dashes of what was not reached."""
    return [seconds for seconds in times if seconds is not None]


def _one_game_each() -> Claim:
    """Algorithms 6 and 7 as printed: a game before the loop, and one for every i from 0 to |P| - 1."""
    portions = 4
    games = 1 + len(range(portions))
    words = "as printed, one game before the loop and |P| in it; from 1 to |P| − 1 is meant, and built"
    statement, ours = "ISG solves a game for each of four portions", f"{games} games"
    return Claim(statement, "Alg. 6, 7", f"{portions} portions", ours, verdict(games == portions), words)


def _nodes(study: Study) -> Claim:
    states = study.hunt(18).form.size
    words = "a slip of the pen: 18 nodes, as section 5.1.1 has it, and the 12,000 states of the same sentence"
    ours = f"{states:,} states"
    return Claim("#18 is a game with 18 states", "§ 4.1", "18 states", ours, verdict(states == 18), words)
