"""The command status: the API's answer in lines."""

import json

import pytest

from cli.stores import Run


def test_it_says_what_is_in_use_and_what_others_lacked(run: Run) -> None:
    shown = run("status")
    assert (shown.exit_code, shown.stderr) == (0, "")
    lines = shown.stdout.splitlines()
    assert lines[:2] == ["store      directory", "derived    directory"]
    assert lines[2].startswith("embedder   hash (hash-256.1, 256 dimensions, words alone): ")
    assert "           not gateway: EVERTURN_GATEWAY_URL is not set" in lines


def test_it_says_how_far_consolidation_is(run: Run) -> None:
    run("append", "a", "My name is Dana.")
    before = run("status").stdout.splitlines()
    assert "extractor  by rules, no model is configured" in before
    assert any(line.startswith("queue      folder: 1 job waits, 0 in work") for line in before)
    assert "behind     1 conversation, 1 turn to read" in before
    run("consolidate", "a")
    after = run("status").stdout.splitlines()
    assert "behind     nothing, all turns were read" in after
    assert any(line.startswith("learned    last at 20") for line in after)


def test_json_is_that_of_the_api(run: Run) -> None:
    backends = json.loads(run("status", "--json").stdout)["backends"]
    assert backends["store"] == "directory"


def test_a_name_that_is_no_embedder_is_told_and_stops_nothing(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVERTURN_EMBEDDER", "crystal-ball")
    shown = run("status")
    assert shown.exit_code == 0
    assert "not crystal-ball: there is no embedder of this name" in shown.stdout
