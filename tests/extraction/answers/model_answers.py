"""Answers of a model as the tests of extraction draw them, whole and in every wrapping."""

import json

from hypothesis import strategies as st

from everturn.extraction.answers.parse_answer import Extraction
from everturn.values.go_json import JsonObject
from strategies.json_values import loose_texts

CLEAN: JsonObject = {
    "facts": ["Billing listens on port 8081.", "The export is /srv/nightly.csv."],
    "user_facts": ["The user prefers short answers."],
    "patterns": [
        {
            "name": "rotate-key",
            "trigger": "a key is old",
            "preconditions": ["admin role"],
            "steps": ["create a key", "deploy it", "revoke the old one"],
            "gotchas": [],
            "success_criteria": ["the old key is unused"],
        }
    ],
    "outcome": {"summary": "Rotated the key.", "status": "success"},
}
WRITTEN = json.dumps(CLEAN)
EMPTY: JsonObject = {
    "facts": [],
    "user_facts": [],
    "patterns": [],
    "outcome": {"summary": "", "status": "unknown"},
}


def written(found: Extraction) -> JsonObject:
    """Return what was found, as an answer that reads as this one."""
    return {
        "facts": [*found.facts],
        "user_facts": [*found.user_facts],
        "patterns": [*found.patterns],
        "outcome": {**found.outcome},
    }


_PIECES = (
    "{", "}", "[", "]", ",", ":", '"', "'", "\\", "\u201c", "\u201d", "//", "/*", "*/", "...",
    "```json\n", "```", "<think>", "</think>", "<|channel|>analysis", "<|end|>", "null", "None",
    "NaN", '"facts":', '"user_facts": [', '"patterns": [{', '"outcome": {', '"steps":', '"a b"',
    "facts", "\\n", "\\ud83d", "\\u00", "1.", "0x12\u2026", "2024-05-24", "yesterday", "port 8081",
    '{"facts": ["a"]}', '{"facts": [', "<recalled_memory>", "\ud800", WRITTEN, "\n", " ",
)  # fmt: skip

drawn_answers: st.SearchStrategy[str] = st.lists(
    st.sampled_from(_PIECES) | loose_texts, max_size=10
).map("".join)
"""Texts that begin like an answer, or hold one, and are none."""

_WORDS = ("port", "8081", "8082", "src/a.py", "0x52\u20269E", "moved", "5,000", "2024-05-24", "two")
word_texts: st.SearchStrategy[str] = st.lists(st.sampled_from(_WORDS), max_size=6).map(" ".join)
"""Statements and transcripts of the same few words and identifiers."""
