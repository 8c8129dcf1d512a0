import pytest

from everturn.cli.output.consolidation_lines import consolidation_lines, extractor_words
from everturn.cli.target.api import STATUS, has_shape

ALL = {
    "queue": "folder",
    "extractor": "gateway:small",
    "depth": 3,
    "in_flight": 1,
    "oldest": "2026-01-02T03:04:05Z",
    "dead": 2,
    "pending": 1,
    "pending_turns": 14,
    "quarantined": 1,
    "last_success": "2026-01-02T03:04:05Z",
}


def test_all_that_is_told_is_said_in_aligned_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "everturn.cli.output.consolidation_lines.local_time", lambda time: f"<{time}>"
    )
    assert list(consolidation_lines(ALL)) == [
        "extractor  with gateway:small",
        "queue      folder: 3 jobs wait, 1 in work, the oldest since <2026-01-02T03:04:05Z>",
        "dead       2 jobs failed too often, everturn redrive tries again",
        "behind     1 conversation, 14 turns to read",
        "set aside  1 turn that could not be read",
        "learned    last at <2026-01-02T03:04:05Z>",
    ]


def test_numbers_that_cannot_be_had_are_said_to_be_missing() -> None:
    assert list(consolidation_lines({"queue": "sqs", "extractor": "rules"})) == [
        "extractor  by rules, no model is configured",
        "queue      sqs: it does not answer now",
        "behind     not counted, which takes too long or the store does not answer",
    ]


def test_where_all_is_done_nothing_looks_like_a_fault() -> None:
    told = {**ALL, "depth": 0, "in_flight": 0, "dead": 0, "pending": 0, "pending_turns": 0}
    quiet = {**told, "quarantined": 0, "oldest": None, "last_success": None}
    assert list(consolidation_lines(quiet)) == [
        "extractor  with gateway:small",
        "queue      folder: 0 jobs wait, 0 in work",
        "behind     nothing, all turns were read",
    ]


def test_one_job_waits_and_two_wait() -> None:
    lines = [list(consolidation_lines({**ALL, "depth": n}))[1] for n in (1, 2)]
    assert "1 job waits, " in lines[0]
    assert "2 jobs wait, " in lines[1]


def test_without_a_queue_it_is_said_what_does_it() -> None:
    lines = list(consolidation_lines({"queue": "none", "extractor": "rules"}))
    assert lines[1].startswith("queue      none: everturn consolidate does it")


def test_the_shape_of_a_status_takes_all_of_it() -> None:
    assert has_shape(ALL, STATUS["consolidation?"])
    assert not has_shape({**ALL, "depth": "3"}, STATUS["consolidation?"])


def test_a_model_is_named_and_rules_are_explained() -> None:
    assert extractor_words("bedrock:m") == "with bedrock:m"
    assert extractor_words("rules").startswith("by rules")


def test_why_nothing_goes_on_is_a_line_of_its_own() -> None:
    told = {"queue": "folder", "extractor": "gateway:m", "depth": 0, "reason": "daily_tokens"}
    [line] = [line for line in consolidation_lines(told) if line.startswith("waits")]
    assert line.endswith("until tomorrow: the tokens of today are used up (EVERTURN_DAILY_TOKENS)")
