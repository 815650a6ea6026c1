"""`make mutants`: mutmut changes the checker, the bindings and the archive in small ways; tests must notice.

It works in a copy, since mutmut writes beside what it changes. A name chooses a part; each part is changed under the
tests that speak of it, so that a change which only some far solve would notice counts as missed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
PARTS = {  # what is changed, and the tests that are to notice
    "files": (("archive.py", "verify/npz.py"), ("tests/test_archive.py", "tests/verify/test_npz.py")),
    "numbers": (
        ("verify/arithmetic.py", "verify/arrays.py"),
        ("tests/verify/test_check.py", "tests/verify/test_npz.py"),
    ),
    "trees": (("verify/tree",), ("tests/verify/test_tree.py", "tests/verify/test_check.py")),
    "chains": (("verify/chain",), ("tests/verify/test_chain.py",)),
    "beliefs": (("verify/pomdp",), ("tests/verify/test_pomdp.py", "tests/verify/test_pomdp_vectors.py")),
    "one-sided": (("verify/one_sided",), ("tests/verify/test_one_sided.py",)),
    "levels": (("verify/levels",), ("tests/verify/test_levels.py",)),
    "bindings": (("binding",), ("tests/binding", "tests/certify")),
}


def run(part: str) -> int:
    """Change one part, and print what was missed."""
    changed, tests = PARTS[part]
    paths = [f"src/fogbound/{path}" for path in changed]
    config = f"\n[tool.mutmut]\npaths_to_mutate = {paths}\ntests_dir = {list(tests)}\nalso_copy = ['src', 'tests']\n"
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in ("src", "tests"):
            shutil.copytree(ROOT / name, copy / name)
        (copy / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text() + config)
        for words in (["run", "--max-children", "2"], ["results"]):
            code = subprocess.run([sys.executable, "-m", "mutmut", *words], cwd=copy, check=False).returncode
    return code


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in PARTS]
    if unknown:
        print(f"mutants: no part {unknown[0]!r}, expected some of {', '.join(PARTS)}", file=sys.stderr)
        return 2
    for name in names or PARTS:
        print(f"{name}: {', '.join(PARTS[name][0])}", flush=True)
        run(name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
