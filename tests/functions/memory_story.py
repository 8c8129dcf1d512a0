"""A day with an agent that remembers, over HTTP: the same on every store and every server."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx

from functions.house import Json

PORT, NEW_PORT = "The deploy port is 8080.", "The deploy port is 9090."
MARK = "MARK-77120431"


@dataclass(frozen=True, slots=True)
class Teller:
    """A user, what passes the time between two requests, and a process that has just started."""

    client: httpx.Client
    wait: Callable[[], None]
    restart: Callable[[], None]

    def tell(self) -> None:
        """Tell the whole story."""
        self.restart()
        self._what_was_said_is_found()
        then = self._what_was_corrected_holds_from_then_on()
        self._what_was_replaced_comes_back(then)
        self._what_was_forgotten_is_gone()
        self._what_was_proven_is_shown()
        self._what_was_erased_is_nowhere()

    def _what_was_said_is_found(self) -> None:
        self._post("/v1/conversations/monday/turns", turns=[self._turn(f"My locker is {MARK}.")])
        found = self._retrieve("what is my locker")
        assert (found["snippets"][0]["kind"], found["pending_turns"]) == ("turn", 1)
        assert MARK in found["snippets"][0]["text"]
        self._remember(f"The locker is {MARK}.", source=self._said_in("monday"))
        kinds = {one["kind"] for one in self._retrieve("locker")["snippets"]}
        assert kinds == {"fact", "turn"}

    def _what_was_corrected_holds_from_then_on(self) -> str:
        old = self._remember(PORT)
        self.wait()
        self.restart()
        assert self._texts("deploy port")[0] == PORT
        answer = self.client.patch(f"/v1/memories/{old['id']}", json={"statement": NEW_PORT})
        assert answer.status_code == 200, answer.text
        assert answer.json()["superseded"] == old["id"]
        self.wait()
        facts = self._texts("deploy port", kinds=["fact"])
        assert facts[0] == NEW_PORT
        assert PORT not in facts
        assert PORT in self._texts("deploy port", as_of=old["last_seen"])
        then: str = answer.json()["memory"]["last_seen"]
        return then

    def _what_was_replaced_comes_back(self, then: str) -> None:
        again = self._remember(PORT, key="a later source")
        self.restart()
        facts = self._texts("deploy port", kinds=["fact"])
        assert (facts[0], NEW_PORT in facts) == (PORT, False)
        assert NEW_PORT in self._texts("deploy port", as_of=then)
        history = self._get(f"/v1/memories/{again['id']}")["history"]
        assert [entry["statement"] for entry in history] == [PORT, NEW_PORT, PORT]

    def _what_was_forgotten_is_gone(self) -> None:
        rid = self._remember("The vault word is zebra.")["id"]
        assert "The vault word is zebra." in self._texts("vault word")
        receipt = self._delete(f"/v1/memories/{rid}")
        assert (receipt["deleted"]["memories"], receipt["complete"]) == (1, True)
        self.restart()
        assert "zebra" not in str(self._retrieve("vault word zebra"))
        assert self.client.get(f"/v1/memories/{rid}").status_code == 404

    def _what_was_proven_is_shown(self) -> None:
        spec = {"name": "Deploy", "steps": ["run the tests", "push the tag"]}
        for number in range(3):
            assert self._procedures() == []
            source = self._said_in(f"deploy-{number}")
            self._post("/v1/memories", kind="pattern", spec=spec, source=source)
        assert self._procedures() == [spec]
        self._remember("Never deploy on Fridays.", kind="constraint", hard=True)
        context = self._post(
            "/v1/context", query="deploy port", goal="Deploy.", conversation_id="monday"
        )
        for said in ("Never deploy on Fridays.", PORT, "push the tag", MARK, "Deploy."):
            assert context["text"].count(said) >= 1, said
        pinned = self._post("/v1/memories/pinned")
        assert pinned["parts"]["constraints"] == ["Never deploy on Fridays."]

    def _what_was_erased_is_nowhere(self) -> None:
        receipt = self._delete("/v1/conversations/monday")
        assert receipt["complete"]
        assert receipt["deleted"]["memories"] == 1
        self.restart()
        for path in ("/v1/memories/retrieve", "/v1/context"):
            assert MARK not in str(self._post(path, query=f"locker {MARK}"))
        assert self._retrieve("locker")["pending_turns"] == 0

    def _turn(self, text: str) -> Json:
        return {"role": "user", "text": text}

    def _said_in(self, conversation_id: str) -> Json:
        return {"conversation_id": conversation_id, "from": 0, "to": 0}

    def _remember(
        self,
        statement: str,
        kind: str = "fact",
        key: str | None = None,
        **body: Any,  # noqa: ANN401 - any field
    ) -> Json:
        headers = {} if key is None else {"Idempotency-Key": key}
        sent = {"kind": kind, "statement": statement, **body}
        answer = self.client.post("/v1/memories", json=sent, headers=headers)
        assert answer.is_success, answer.text
        memory: Json = answer.json()["memory"]
        return memory

    def _retrieve(self, query: str, **body: Any) -> Json:  # noqa: ANN401 - any field
        return self._post("/v1/memories/retrieve", query=query, **body)

    def _texts(self, query: str, **body: Any) -> list[str]:  # noqa: ANN401 - any field
        return [snippet["text"] for snippet in self._retrieve(query, **body)["snippets"]]

    def _procedures(self) -> list[Json]:
        return [one["spec"] for one in self._post("/v1/memories/procedural")["patterns"]]

    def _post(self, path: str, **body: Any) -> Json:  # noqa: ANN401 - any field
        answer = self.client.post(path, json=body)
        assert answer.is_success, answer.text
        found: Json = answer.json()
        return found

    def _get(self, path: str) -> Json:
        answer = self.client.get(path)
        assert answer.is_success, answer.text
        found: Json = answer.json()
        return found

    def _delete(self, path: str) -> Json:
        answer = self.client.delete(path)
        assert answer.is_success, answer.text
        found: Json = answer.json()
        return found
