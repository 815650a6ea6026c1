"""What a request may not name it may not name inside anything else either: every transform, every depth, every form."""

from __future__ import annotations

import pytest

from fogbound.core.errors import FogboundError
from fogbound.core.registry import parameters
from fogbound.core.spec import parse
from fogbound.games import FOREIGN, GAMES
from fogbound.policies import FOREIGN_POLICIES
from fogbound.solvers import SOLVERS
from fogbound.transforms import TRANSFORMS
from fogbound.web.naming import registered
from fogbound.web.refusal import Refusal
from tests.web.tables import BASE, serving

LIBRARIES = [
    *(
        text
        for name in (*FOREIGN, *FOREIGN.aliases)
        for text in (name, f"{name}(leduc_poker)", f"{name}(game=tic_tac_toe)")
    ),
    *(f"{name}(mcts)" for name in (*FOREIGN_POLICIES, *FOREIGN_POLICIES.aliases)),
]
FILES = ["x.pomdp", "'/etc/passwd'", "evil.py:Evil", "evil.py:Evil(n=3)", "../x", "here", "'here'"]
UNKNOWN = ["no-such-game(n=3)"]


def inside(text):
    """A spec in every place where another may have it: each transform, by name and in order, twice, and in a list."""
    for name in TRANSFORMS:
        for parameter in parameters(TRANSFORMS.load(name)):
            yield f"{name}({parameter.name}={text})"
            yield f"horizon(game={name}({parameter.name}={text}), steps=2)"
            yield f"{name}({parameter.name}=[1, [{text}]])"
        yield f"{name}({text}, 3)"
        yield f"{name}:{text},3"
    yield f"po-nim(n={text})"


FORBIDDEN = [*LIBRARIES, *FILES, *UNKNOWN]


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("home")) as client:
        yield client


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A file without an ending where the server was started."""
    (tmp_path / "here").write_text("secret")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("text", FORBIDDEN)
def test_what_is_refused_by_itself_is_refused_inside(here, text):
    with pytest.raises(Refusal) as plain:
        registered(text.strip("'"), GAMES, TRANSFORMS)
    for spec in inside(text):
        with pytest.raises(Refusal) as nested:
            registered(spec, GAMES, TRANSFORMS)
        assert nested.value.status == plain.value.status, spec


@pytest.mark.parametrize("text", [*LIBRARIES, *FILES])
def test_solvers_and_opponents_take_none_of_it(client, here, text):
    for name in SOLVERS:
        for parameter in parameters(SOLVERS.load(name)):
            with pytest.raises(Refusal):
                registered(f"{name}({parameter.name}={text})", SOLVERS)
    with pytest.raises(Refusal, match="is no opponent"):
        client.table.opponents.check(f"resolve(value={text})")
    with pytest.raises(FogboundError, match=r"is no opponent|takes no|expected"):
        client.table.opponents.check(f"some-level(prior={text})")


def asks(client, spec):
    """Everything that takes the name of a game."""
    yield client.post("/table/new", data={"game": spec})
    yield client.get("/table/new", params={"game": spec})
    yield client.post("/solve/runs", data={"game": spec, "spec": spec})
    yield client.post("/arena/new", data={"game": spec, "entrant": ["uniform", "uniform"]})


@pytest.mark.parametrize("text", ["openspiel(leduc_poker)", "openspiel", "x.pomdp", "evil.py:Evil", "here"])
def test_no_form_takes_what_is_nested(client, here, text):
    for spec in (f"horizon(game={text}, steps=3)", f"horizon(horizon({text}, 3), 2)", f"team({text})"):
        for answer in asks(client, spec):
            assert answer.status_code in (400, 404), (answer.url, spec)
            assert "secret" not in answer.text


def test_solve_takes_no_file_as_a_solvers_value(client, here):
    for solver in ("resolve(depth=1, value=here)", "resolve(depth=1, value='/etc/passwd')"):
        answer = client.post("/solve/runs", data={"game": "kuhn", "solver": solver})
        assert answer.status_code == 400
        assert "names no files" in answer.text


@pytest.mark.parametrize("spec", ["horizon(tiger, 3)", "horizon:tiger,3", "horizon(game=horizon(tiger(), 4), steps=3)"])
def test_what_is_registered_may_be_nested(client, spec):
    assert registered(spec, GAMES, TRANSFORMS) == parse(spec)
    assert client.get("/table/new", params={"game": spec}).status_code == 200


@pytest.mark.parametrize("header", ["origin", "referer"])
@pytest.mark.parametrize(
    ("where", "status"),
    [
        (BASE, 303),
        (BASE.replace("http:", "https:"), 403),
        (BASE.replace("http:", "ftp:"), 403),
        (BASE.partition(":")[2], 403),
        ("http://[::1", 403),
    ],
)
def test_the_scheme_is_part_of_the_origin(client, header, where, status):
    headers = {"origin": "", header: where}
    assert client.post("/table/new", data={"game": "tiger"}, headers=headers).status_code == status


@pytest.mark.parametrize("hook", ["openspiel-bot(mcts)", "openspiel-bot:mcts", "qmdp(games=openspiel-bot(mcts))"])
def test_a_name_in_quotation_marks_is_looked_at_as_well(hook):
    with pytest.raises(Refusal):
        registered(f'pomcp(rollout="{hook}")', SOLVERS)
    assert registered('pomcp(rollout="qmdp(games=2)")', SOLVERS)
