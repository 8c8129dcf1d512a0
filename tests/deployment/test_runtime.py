"""The functions as Lambda has them: from the built layer, under AWS's runtime, each answers."""

import json
from pathlib import Path
from typing import Final

import pytest

from deployment.moto_account import Account, Json
from deployment.template_functions import FUNCTIONS, function_of_route, sample_event

pytestmark = pytest.mark.slow

# A life from the first turn to the erasure: event, status, a field of the answer.
STORY: Final = [
    ("create", 201, "conversation_id"),
    ("append", 200, "first_turn"),
    ("get", 200, "turns"),
    ("turns", 200, "turn_count"),
    ("list", 200, "conversations"),
    ("recent", 200, "turns"),
    ("export", 200, "updated"),
    ("export_scope", 200, "turns"),
    ("patch", 200, "preview"),
    ("recall", 200, "hits"),
    ("recall_across", 200, "hits"),
    ("themes", 200, "themes"),
    ("status", 200, "backends"),
    ("consolidate", 202, "queued"),
    ("remember", 201, "memory"),
    ("list_memories", 200, "memories"),
    ("get_memory", 200, "memory"),
    ("patch_memory", 200, "memory"),
    ("record_outcome", 200, "memory"),
    ("promote_memory", 200, "files"),
    ("retrieve", 200, "snippets"),
    ("pinned", 200, "text"),
    ("procedural", 200, "patterns"),
    ("context", 200, "text"),
    ("forget_memory", 200, "deleted"),
    ("put_document", 201, "updated"),
    ("get_document", 200, "value"),
    ("list_documents", 200, "documents"),
    ("delete_document", 200, "deleted"),
    ("pop_turn", 200, "deleted"),
    ("redact_turn", 200, "turn"),
    ("delete", 200, "deleted"),
    ("erase_scope", 200, "deleted"),
]
# What these routes find, they must have found.
NEVER_EMPTY: Final = {
    "turns", "conversations", "hits", "themes", "memories", "snippets", "text", "patterns",
    "documents",
}  # fmt: skip


def _ready(account: Account, name: str, caller: str) -> Json:
    """A sample event, made to fit what was there before."""
    asked = sample_event(f"{name}_{caller}")
    if name == "pop_turn":
        asked["rawQueryString"] = "expected_turn_count=2"
        asked["queryStringParameters"] = {"expected_turn_count": "2"}
    if "rid" in asked.get("pathParameters", {}):
        asked["pathParameters"]["rid"] = _pattern(account, caller)
    return asked


def _pattern(account: Account, caller: str) -> str:
    """The id of a pattern that three conversations speak for."""
    rid = ""
    for number in range(3):
        asked = sample_event(f"remember_{caller}")
        source = {"conversation_id": f"before-{number}"}
        body = {"kind": "pattern", "statement": "Deploy the service.", "source": source}
        asked["body"] = json.dumps(body)
        rid = account.request(asked)[1]["memory"]["id"]
    return rid


@pytest.mark.parametrize("caller", ["iam", "jwt", "act_as"])
def test_every_route_answers_from_the_built_layer(account: Account, caller: str) -> None:
    for name, status, field in STORY:
        answered, body = account.request(_ready(account, name, caller))
        assert answered == status, (name, body)
        assert field in body, (name, body)
        assert body[field] or field not in NEVER_EMPTY, (name, body)


def test_the_story_asks_every_function_of_the_api() -> None:
    asked = {function_of_route(sample_event(f"{name}_iam")["routeKey"]) for name, _, _ in STORY}
    assert asked | {"Consolidate", "Sweep"} == set(FUNCTIONS)


@pytest.mark.parametrize("name", ["append_act_as_stranger", "append_no_authorizer"])
def test_whoever_may_not_is_refused_and_nothing_is_stored(account: Account, name: str) -> None:
    asked, granted = sample_event(name), sample_event("append_iam")
    asked["pathParameters"], granted["pathParameters"] = {"id": "refused"}, {"id": "granted"}
    assert account.request(granted)[0] == 200
    status, body = account.request(asked)
    assert status in (401, 403)
    assert body["error"]["request_id"] == asked["requestContext"]["requestId"]
    names = [key.rpartition("/")[2] for key in account.keys("DataBucket", "c/")]
    assert "granted.json" in names
    assert "refused.json" not in names


PROBE = """
import importlib.util, os, sys
import everturn, pydantic_core
def handler(event, context):
    found = {name: importlib.util.find_spec(name) is not None for name in event["names"]}
    return {"path": sys.path, "files": [everturn.__file__, pydantic_core.__file__],
            "found": found, "variables": sorted(os.environ)}
"""


def test_a_function_sees_its_folder_the_layer_the_runtime_and_nothing_else(
    account: Account, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """None of what the command and the local server are made of, nor of the tests' environment."""
    (tmp_path / "app.py").write_text(PROBE, encoding="utf-8")
    monkeypatch.setenv("EVERTURN_OF_THE_TESTS", "x")
    absent = ["everturn.cli", "everturn.local", "moto", "pytest", "typer", "flask", "emulation"]
    present = ["everturn.edge", "everturn.conversations", "boto3", "numpy", "awslambdaric"]

    seen = account.sandbox(account.deployed("Append", code=tmp_path)).invoke(
        {"names": absent + present}
    )

    layer = str(account.layer / "python")
    assert all(file.startswith(f"{layer}/") for file in seen["files"])
    assert seen["path"][1:3] == [layer, str(account.client)]
    assert not [path for path in seen["path"] if "site-packages" in path]
    assert seen["found"] == dict.fromkeys(absent, False) | dict.fromkeys(present, True)
    assert "EVERTURN_OF_THE_TESTS" not in seen["variables"]
