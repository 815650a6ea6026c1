# Every target sets up .venv by itself: a fresh machine needs only Python 3.11+ and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
unexport PYTHONDONTWRITEBYTECODE  # hundreds of modules: read once and kept, or every process takes a second longer to start

.PHONY: help setup demo test test-slow attack mutants cover checks bench serve shots docs dist clean warm warm-guarantees warm-beliefs warm-trees warm-levels warm-states warm-search
.DEFAULT_GOAL := help

help:  ## what there is
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

# Modules are compiled when they are first imported: most never are.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile

# What solving and the web app need; tools and tests come on top.
$(VENV)/.base: pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' || (echo "Fogbound needs Python 3.11 or newer: make PYTHON=python3.12 …" >&2; exit 1)
	$(PIP) --editable '.[web]'
	@touch $@

$(STAMP): $(VENV)/.base
	$(PIP) --editable '.[dev]'
	@touch $@

setup: $(STAMP)  ## install everything into .venv

# The kernels of the last question compile beside the first ones: on a fresh machine that is some seconds less.
demo: $(VENV)/.base  ## the main job: the questions answered on the documents' games, beside the published figures
	@$(BIN)/fogbound solve "po-nim(n=2)" --with level-k --levels 2 > /dev/null 2>&1 & \
	 $(BIN)/fogbound solve "pursuit(columns=3)" --with "pg-hsvi(stage=oracle)" --gap 5 > /dev/null 2>&1 & \
	 $(BIN)/fogbound demo; found=$$?; wait; exit $$found

# Work is stolen, so that tests which share a result stay in one process.
# One process a core: threads of linear algebra would only wait for each other.
PYTEST := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist worksteal

# Two at a time, the longest first.
test: $(STAMP)  ## lint, types, layers and every test that is quick
	@$(MAKE) --no-print-directory -j 2 warm-guarantees checks warm-beliefs warm-trees warm-levels warm-states warm-search
	$(PYTEST) -m "not slow"

test-slow: $(VENV)/.extras  ## the rest: heavy solves, many random games, fresh processes, a browser, OpenSpiel, Ray
	@$(MAKE) --no-print-directory -j 2 warm
	FOGBOUND_BROWSER=$$(command -v chromium) $(PYTEST) -m slow
	$(PYTEST) -m "not slow" tests/interop

attack: $(STAMP)  ## what is tried against it: planted bugs, relations, kills, interrupts, forgeries (long)
	@$(MAKE) --no-print-directory -j 2 warm
	$(BIN)/python -m tests.attack

mutants: $(STAMP)  ## change the checker, the certificates and the archive in small ways: which changes do tests miss?
	$(BIN)/python -m tests.attack.mutants

cover: $(STAMP)  ## all tests with coverage, which more than doubles their time
	$(PYTEST) --cov --cov-report=term

checks: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Kernels are compiled once, beside the checks, so that no two test processes do it. What fails here, the tests show.
QUIETLY := > /dev/null 2>&1 || true

warm: warm-guarantees warm-beliefs warm-trees warm-levels warm-states warm-search

warm-guarantees: $(STAMP)
	@$(BIN)/fogbound solve "pursuit(columns=3)" --with pg-hsvi --gap 5 $(QUIETLY)

warm-beliefs: $(STAMP)
	@$(BIN)/fogbound solve tiger --with sarsop --iterations 3 $(QUIETLY)
	@$(BIN)/fogbound solve tiger --with incremental-pruning --iterations 2 $(QUIETLY)

warm-trees: $(STAMP)
	@$(BIN)/fogbound solve leduc --with dcfr --iterations 2 $(QUIETLY)
	@$(BIN)/fogbound solve king-ace --with mccfr --iterations 2 $(QUIETLY)
	@$(BIN)/fogbound solve king-ace --with "resolve(budget=10)" $(QUIETLY)
	@$(BIN)/fogbound solve king-ace --with "oos(walks=10)" $(QUIETLY)

warm-levels: $(STAMP)
	@$(BIN)/fogbound solve "po-nim(n=2)" --with level-k --levels 2 $(QUIETLY)

warm-states: $(STAMP)
	@$(BIN)/fogbound solve repeated --with markov-nash $(QUIETLY)
	@$(BIN)/fogbound solve "repeated(matrix=matching-pennies)" --with shapley --iterations 2 $(QUIETLY)
	@$(BIN)/fogbound solve "horizon(game=multi-tiger, steps=4)" --with team-search $(QUIETLY)

warm-search: $(STAMP)
	@$(BIN)/fogbound match king-up "pomcp-pgt(simulations=10)" uniform uniform --games 1 $(QUIETLY)
	@$(BIN)/fogbound solve tiger --with "pomcp(simulations=10, games=2)" $(QUIETLY)
	@$(BIN)/fogbound solve tiger --with "lookahead(nodes=10)" $(QUIETLY)
	@$(BIN)/fogbound solve leduc --with "is-mcts(simulations=10)" $(QUIETLY)
	@$(BIN)/fogbound solve rock-sample --with "pomcp(simulations=10, games=1)" $(QUIETLY)

# Gambit itself is asked where it has a wheel for this machine; it is nobody's dependency.
$(VENV)/.bench: $(STAMP)
	$(PIP) --editable '.[bench]'
	@$(PIP) --only-binary :all: 'pygambit>=17.0.0b2' 2> /dev/null || \
	 echo "pygambit has no wheel for this machine: Gambit itself is not asked, and that part says so" >&2
	@touch $@

# All that tests can ask for: other people's libraries, Ray, a browser.
$(VENV)/.extras: $(VENV)/.browser
	$(PIP) --editable '.[all]'
	@touch $@

# Debian's chromium, where there is none: root installs it, or whoever may without a password.
AS_ROOT := $(shell test "$$(id -u)" = 0 || echo sudo -n)
$(VENV)/.browser: $(STAMP)
	$(PIP) --editable '.[browser]'
	@command -v chromium > /dev/null || $(AS_ROOT) apt-get install --yes --quiet chromium > /dev/null 2>&1 || \
	 { $(AS_ROOT) apt-get update --quiet > /dev/null && $(AS_ROOT) apt-get install --yes --quiet chromium > /dev/null; } || \
	 echo "chromium could not be installed: tests in a browser are skipped, and say so" >&2
	@touch $@

shots: $(VENV)/.browser  ## pictures of every screen of the web app into build/shots (needs chromium)
	$(BIN)/python -m tests.web.shots build/shots

serve: $(STAMP)  ## play, solve and look in a browser
	@$(BIN)/fogbound serve

bench: $(VENV)/.bench  ## speed, measured beside a peer in the same run
	@$(BIN)/python -m benchmarks

$(VENV)/.docs: $(STAMP)
	$(PIP) --editable '.[docs]'
	@touch $@

docs: $(VENV)/.docs  ## the documentation as pages, into build/docs: warnings are errors
	@mkdir -p docs/_static
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs build/docs
	@echo "build/docs/index.html"

dist: $(STAMP)  ## wheel and sdist into dist/, then installed in a clean environment, where README's commands are run
	rm -rf dist
	$(BIN)/python -m build --outdir dist . > /dev/null
	$(BIN)/python -m tests.installed dist

clean:  ## remove .venv and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .coverage build dist
