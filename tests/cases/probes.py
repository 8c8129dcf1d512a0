"""Cases that are no sequence of steps: ids on every route, texts, times, the store's contract."""

import re
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any, Final

import httpx

from cases.adapter import TENANT
from cases.case import Case
from cases.outcome import allowed
from everturn.cli.target.api import conversation_path
from everturn.errors import GoneError, PreconditionFailedError
from everturn.ports.object_store import ABSENT, Etag, ObjectStore, StoredObject
from everturn.values.timestamps import parse_time
from functions.house import CONVERSATIONS, House

Answers = dict[str, httpx.Response]

_TRIED: Final[dict[str, Callable[[House, str], httpx.Response]]] = {
    "append": lambda house, id_: house.append(id_, "probe"),
    "get": lambda house, id_: house.send("GET", id_),
    "recent": lambda house, id_: house.send("GET", id_, "/turns"),
    "patch": lambda house, id_: house.send("PATCH", id_, json={"title": "T"}),
    "delete": lambda house, id_: house.send("DELETE", id_),
    "recall": lambda house, id_: house.send("POST", id_, "/recall", json={"query": "probe"}),
}
# A kind of object, then whose it is: a conversation, its segments, what else goes with it.
_OWN_KEY: Final = re.compile(rf"[a-z]/{TENANT}/user-a/")


def probe_ids(house: House, case: Case) -> None:
    """Try each id on every route, as a user who has one other conversation."""
    given, asked = case["input"], case["check"]
    user = house.acting_as(given["as"], TENANT)
    user.append("bystander", "stays")
    ids = [given["conversation_id"], *given.get("more_ids", [])]
    if "raw_path" in given:
        assert conversation_path(given["conversation_id"]) == "/v1" + given["raw_path"]
    if asked["policy"] == "reject_or_contain":
        for id_ in ids:
            _reject_or_contain(user, id_, given["try"], asked["status_if_rejected"])
    else:
        _reject_or_address(user, ids, same=asked["policy"] == "reject_or_same")
    assert user.texts("bystander") == ["stays"]


def _reject_or_contain(user: House, id_: object, tried: list[str], rejected: list[int]) -> None:
    user.data.calls.clear()
    if not isinstance(id_, str):
        response = user.client.post(CONVERSATIONS, json={"conversation_id": id_})
        assert response.status_code in allowed(rejected), f"id={id_!r}"
        assert user.data.calls == []
        return
    # What is deleted cannot be recalled from: that is tried before.
    routes = sorted(tried, key=lambda name: name == "delete")
    answers = {name: _TRIED[name](user, id_) for name in routes}
    if answers["append"].is_success:
        assert all(response.is_success for response in answers.values())
        assert answers["get"].json()["conversation_id"] == id_
        assert answers["recent"].json()["turn_count"] == 1
        assert [hit["conversation_id"] for hit in answers["recall"].json()["hits"]] == [id_]
        calls = [*user.data.calls, *user.parts.derived.calls]
        assert all(_OWN_KEY.match(key) and ".." not in key for _, key in calls)
    else:
        assert {response.status_code for response in answers.values()} <= allowed(rejected)
        assert user.data.calls == []


def _reject_or_address(user: House, ids: list[str], *, same: bool) -> None:
    appended = [user.append(id_, id_) for id_ in ids]
    if not all(response.is_success for response in appended):
        assert all(response.status_code in allowed([400]) for response in appended)
        return
    for id_ in ids:
        assert user.texts(id_) == (ids if same else [id_])
        found = user.send("POST", id_, "/recall", json={"query": id_}).json()["hits"]
        assert found
        assert {hit["text"] for hit in found} <= set(ids if same else [id_])
    user.send("DELETE", ids[0])
    statuses = [user.send("GET", id_).status_code for id_ in ids]
    assert statuses == ([404] * len(ids) if same else [404, *[200] * (len(ids) - 1)])


def probe_text(house: House, case: Case, kit: ModuleType) -> None:
    """Say the text as a first user turn, and look at the list's title or preview."""
    content, field = case["input"]["content"], case["input"]["op"]
    turn = {"role": "user", "text" if isinstance(content, str) else "content": content}
    response = house.append_turns("c1", [turn])
    assert response.is_success
    rows = house.read(CONVERSATIONS)["conversations"]
    # A blank turn makes no conversation, so there is nothing that could have a title.
    assert len(rows) == response.json()["appended"]
    shown = rows[0][field].removesuffix("…") if rows else None
    problems = kit.check_text(shown, case)
    assert not problems, problems


def probe_times(house: House, case: Case) -> None:
    """Send the times as those of turns; compare what is stored."""
    times = case["input"]["values"]
    turns = [{"role": "user", "text": "a", "ts": time} for time in times]
    house.clock.sleep(366 * 86_400)
    assert house.append_turns("c1", turns).json()["clamped"] == 0
    stored = [parse_time(turn["ts"]) or 0 for turn in house.turns()]
    assert all(turn["ts"].endswith("Z") for turn in house.turns())
    assert len({stored[i] for i in case["check"]["equal"]}) == 1
    ordered = [stored[i] for i in case["check"]["order"]]
    assert ordered == sorted(set(ordered))


def probe_store(store: ObjectStore, case: Case) -> None:
    """Hold a store against the contract of conditional writes."""
    if "threads" in case["input"]:
        _race(store, case["input"], case["check"])
        return
    answers = [_store_step(store, step) for step in case["input"]["steps"]]
    assert [status for status, _ in answers] == case["check"]["statuses"]
    assert answers[-1][1] == case["check"]["body"].encode()


def _store_step(store: ObjectStore, step: Case) -> tuple[int, bytes]:
    if "get" in step:
        found = store.get(step["get"])
        return (200, found.body) if isinstance(found, StoredObject) else (404, b"")
    expect: Any = ABSENT if "if_none_match" in step else Etag(step["if_match"])
    try:
        store.put(step["put"], step["body"].encode(), expect=expect)
    except (PreconditionFailedError, GoneError):
        return 412, b""
    return 200, b""


def _race(store: ObjectStore, given: Case, asked: Case) -> None:
    """In each round every thread tries one compare-and-swap on what it reads."""
    accepted: list[str] = []
    created: list[str] = []
    for number in range(given["rounds"]):
        start = threading.Barrier(given["threads"])

        def attempt(name: str, start: threading.Barrier = start) -> None:
            found = store.get("k")
            start.wait()
            if _append_once(store, found if isinstance(found, StoredObject) else None, name):
                accepted.append(name)
                created.extend([] if isinstance(found, StoredObject) else [name])

        names = [f"{number}-{thread}" for thread in range(given["threads"])]
        threads = [threading.Thread(target=attempt, args=(name,)) for name in names]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    stored = store.get("k")
    assert isinstance(stored, StoredObject)
    lost = set(accepted) - set(stored.body.decode().split())
    assert (len(lost), len(created)) == (asked["lost"], asked["create_winners"])
    assert len(accepted) == given["rounds"]


def _append_once(store: ObjectStore, found: StoredObject | None, name: str) -> bool:
    old = found.body if found else b""
    try:
        store.put("k", old + f" {name}".encode(), expect=found.etag if found else ABSENT)
    except PreconditionFailedError:
        return False
    return True
