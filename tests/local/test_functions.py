import os
from pathlib import Path

import pytest

from everturn.errors import MisconfiguredError
from everturn.local.bundle import Bundle
from everturn.local.environment import environment_of
from everturn.local.functions import load_handlers
from everturn.local.invocation import SERVICE_ROLE
from everturn.local.template import Function
from local.echo import write_tree

ECHO = Function("Echo", "functions/echo/", "app.handler")


@pytest.fixture
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bundle:
    write_tree(tmp_path)
    # load_handlers sets it for good in this process; here for this test alone.
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "true")
    return Bundle(tmp_path, "test")


def test_a_handler_sees_its_settings_while_it_loads_and_only_then(
    bundle: Bundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVERTURN_STORE", "before")
    monkeypatch.delenv("EVERTURN_SERVICE_ROLES", raising=False)
    handlers = load_handlers({ECHO}, bundle=bundle, settings={"EVERTURN_STORE": "inside"})
    assert handlers["Echo"]({}, None)["body"] == repr(("inside", SERVICE_ROLE))
    assert os.environ["EVERTURN_STORE"] == "before"
    assert "EVERTURN_SERVICE_ROLES" not in os.environ


def test_two_gateways_of_one_process_have_modules_of_their_own(bundle: Bundle) -> None:
    first = load_handlers({ECHO}, bundle=bundle, settings={"EVERTURN_STORE": "one"})
    second = load_handlers({ECHO}, bundle=bundle, settings={"EVERTURN_STORE": "two"})
    assert "one" in first["Echo"]({}, None)["body"]
    assert "two" in second["Echo"]({}, None)["body"]


def test_the_environment_is_put_back_when_a_handler_cannot_load(
    bundle: Bundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVERTURN_STORE", "before")
    (bundle.root / "functions" / "echo" / "app.py").write_text("raise RuntimeError('no')")
    with pytest.raises(RuntimeError):
        load_handlers({ECHO}, bundle=bundle, settings={"EVERTURN_STORE": None})
    assert os.environ["EVERTURN_STORE"] == "before"


def test_none_takes_a_variable_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVERTURN_DERIVED_STORE", "elsewhere")
    merged = environment_of({"EVERTURN_DERIVED_STORE": None, "EVERTURN_STORE": "here"})
    assert "EVERTURN_DERIVED_STORE" not in merged
    assert merged["EVERTURN_STORE"] == "here"


@pytest.mark.parametrize(
    "function",
    [
        Function("Gone", "functions/gone/", "app.handler"),
        Function("Nameless", "functions/echo/", "app.nothing"),
    ],
)
def test_a_missing_file_or_handler_is_named(bundle: Bundle, function: Function) -> None:
    with pytest.raises(MisconfiguredError, match="path="):
        load_handlers({function}, bundle=bundle, settings={})
