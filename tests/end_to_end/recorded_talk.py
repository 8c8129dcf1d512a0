"""A talk, and what a small model answered about it; asked through the API of any server.

The answers are in the forms that models use: with thoughts before, in a fence, with fields that
nobody asked for.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import httpx

from emulation.chat_service import Answers, ChatService, Reply, said
from functions.house import Json

TALK: Final = (
    ("user", "Hi, my name is Dana."),
    ("assistant", "Nice to meet you, Dana! I love jazz."),
    ("user", "I prefer tea to coffee. Remember that the depot in Aalst closes at 17:40."),
)
ANSWER: Final = """\
<think>The user gives a name, a preference and a fact about a depot. {"facts": []} would be wrong.
</think>
```json
{"facts": [{"turn": 2, "quote": "the depot in Aalst closes at 17:40",
            "text": "The depot in Aalst closes at 17:40.", "confidence": 0.9}],
 "user_facts": [{"turn": 0, "quote": "my name is Dana", "text": "The user's name is Dana."},
                {"turn": 2, "quote": "I prefer tea to coffee",
                 "text": "The user prefers tea to coffee."},
                {"turn": 1, "quote": "I love jazz", "text": "The user loves jazz."}],
 "patterns": [], "outcome": null}
```"""
FOUND_BY_MODEL: Final = {
    "The depot in Aalst closes at 17:40.", "The user's name is Dana.",
    "The user prefers tea to coffee.",
}  # fmt: skip
FOUND_BY_RULES: Final = {
    "The depot in Aalst closes at 17:40", "The user's name is Dana",
    "The user prefers tea to coffee",
}  # fmt: skip

NOTHING: Final = '{"facts": [], "user_facts": [], "patterns": [], "outcome": null}'
JUNK: Final = "I'm sorry, but I can't help with reading that."


def answering(*recorded: tuple[str, str], otherwise: str = NOTHING) -> Answers:
    """Answer about a transcript with the first text whose mark stands in it."""

    def answer(request: Json) -> Reply:
        transcript = transcript_of(request)
        told = next((text for mark, text in recorded if mark in transcript), otherwise)
        return said(told, usage={"prompt_tokens": 900, "completion_tokens": 100})

    return answer


def transcript_of(request: Json) -> str:
    """Return what a model was given to read, without what came before it."""
    texts = [str(one["content"]) for one in request["messages"] if one["role"] == "user"]
    return "\n".join(texts).partition("<transcript>")[2]


def facts(*texts: str) -> str:
    """Answer with facts that quote nothing."""
    return json.dumps({"facts": list(texts), "user_facts": [], "patterns": [], "outcome": None})


DANA_TOLD: Final = answering(("my name is Dana", ANSWER))
"""A service that knows the answer about this talk."""


def is_down(_: Json) -> Reply:
    """Answer as a service with a fault of its own."""
    return 500, {}, {"error": {"message": "overloaded"}}


def asking(service: ChatService | None, *, settle_s: int, **more: str) -> dict[str, str]:
    """Return settings that ask this service; rules where there is none."""
    named = {}
    if service is not None:
        named = {"EVERTURN_GATEWAY_URL": service.url, "EVERTURN_EXTRACT_MODEL": "small"}
    return {**named, "EVERTURN_SETTLE_S": str(settle_s), **more}


@dataclass(frozen=True, slots=True)
class Listener:
    """A user of a server that learns, and what lets it do its work."""

    client: httpx.Client
    learn: Callable[[Callable[[], bool]], None]
    """Lets the server work until this is so, or fails."""

    def tell(self, id_: str, *turns: tuple[str, str]) -> None:
        """Append turns, each a role and a text."""
        sent = [{"role": role, "text": text} for role, text in turns]
        self.post(f"/v1/conversations/{id_}/turns", turns=sent)

    def ask_for(self, id_: str) -> None:
        """Have a conversation consolidated at once."""
        assert self.post(f"/v1/conversations/{id_}/consolidate") == {"queued": True}

    def statements(self) -> set[str]:
        return {memory["statement"] for memory in self._memories()}

    def hard(self) -> set[str]:
        """What holds as a constraint, which only a request can make."""
        return {memory["statement"] for memory in self._memories() if memory.get("hard")}

    def status(self) -> Json:
        told: Json = self.get("/v1/status")["consolidation"]
        return told

    def is_drained(self) -> bool:
        """Whether all that was said was read."""
        told = self.status()
        return (told["pending"], told.get("depth", 0), told.get("in_flight", 0)) == (0, 0, 0)

    def assert_known(self, wanted: set[str], id_: str) -> None:
        """What was said is listed, pinned and retrieved, and each memory quotes its turn."""
        assert self.statements() == wanted
        pinned = self.post("/v1/memories/pinned")
        assert {line.rstrip(".") for line in pinned["parts"]["profile"]} == {
            "The user's name is Dana", "The user prefers tea to coffee",
        }  # fmt: skip
        found = self.post("/v1/memories/retrieve", query="when does the depot close?")
        assert found["snippets"][0]["text"].startswith("The depot in Aalst closes at 17:40")
        assert found["pending_turns"] == 0
        self.assert_cited(id_)

    def assert_cited(self, id_: str) -> None:
        """Each memory comes from this conversation, and its quote stands in its turn."""
        page = self.get(f"/v1/conversations/{id_}/turns?last=1000")
        said_in = {turn["index"]: turn["text"] for turn in page["turns"]}
        for memory in self._memories():
            [source] = self.get(f"/v1/memories/{memory['id']}")["memory"]["sources"]
            assert source["conversation_id"] == id_
            assert source["quote"]
            cited = range(source["from"], source["to"] + 1)
            assert any(source["quote"] in said_in[number] for number in cited)

    def get(self, path: str) -> Json:
        answer: Json = self.client.get(path).raise_for_status().json()
        return answer

    def post(self, path: str, **body: Any) -> Json:  # noqa: ANN401 - any field
        answer: Json = self.client.post(path, json=body).raise_for_status().json()
        return answer

    def _memories(self) -> list[Json]:
        memories: list[Json] = self.get("/v1/memories")["memories"]
        return memories
