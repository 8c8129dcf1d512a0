import json
import re
from collections.abc import Callable

from client.faults import FaultyNetwork
from conftest import REPOSITORY
from everturn.client import Everturn

_STEPS = {"name": "Release", "trigger": "a tag", "steps": ["build", "push"]}


def test_every_route_of_the_api_has_a_call(memory: Everturn, network: FaultyNetwork) -> None:
    described = json.loads((REPOSITORY / "docs/openapi.json").read_text())["paths"]
    routes = {(m.upper(), path) for path, methods in described.items() for m in methods}
    _call_everything(memory, network)
    met = {
        (request.method, path)
        for request in network.requests
        for method, path in routes
        if request.method == method and _matches(path, request.url.raw_path.decode())
    }
    assert met == {(method, path) for method, path in routes if path.startswith("/v1/")}


def _call_everything(memory: Everturn, network: FaultyNetwork) -> None:
    memory.append_user("c", "Hi.")
    made = memory.remember("fact", "The sky is blue.").memory
    assert made is not None
    proven = [memory.remember("pattern", spec=_STEPS) for _ in range(3)][-1].memory
    assert proven is not None
    calls: list[Callable[[], object]] = [
        lambda: memory.create_conversation("d"),
        memory.list_conversations,
        lambda: memory.get_conversation("c"),
        lambda: memory.update_conversation("c", title="T"),
        lambda: memory.export_conversation("c"),
        lambda: memory.consolidate("c"),
        lambda: memory.append_user("c", "Bye."),
        lambda: memory.get_turns("c"),
        lambda: memory.redact_turn("c", 0),
        lambda: memory.pop_turn("c", expected_turn_count=2),
        memory.recent_turns,
        lambda: memory.recall("x"),
        lambda: memory.recall("x", conversation_id="c"),
        memory.themes,
        lambda: memory.remember("fact", "Water is wet."),
        memory.list_memories,
        lambda: memory.get_memory(made.id),
        lambda: memory.correct_memory(made.id, "The sky is grey."),
        lambda: memory.forget_memory(made.id),
        lambda: memory.record_outcome(proven.id, "success"),
        lambda: memory.promote_memory(proven.id),
        lambda: memory.retrieve("x"),
        memory.pinned,
        memory.procedural,
        lambda: memory.context("x"),
        lambda: memory.put_document("s", "k", 1),
        lambda: memory.get_document("s", "k"),
        lambda: memory.list_documents("s"),
        lambda: memory.delete_document("s", "k"),
        memory.status,
        lambda: list(memory.export()),
        lambda: memory.delete_conversation("c"),
        memory.erase,
    ]
    network.meets([])
    for call in calls:
        call()


def _matches(path: str, target: str) -> bool:
    pattern = re.sub(r"\{[a-z_]+\}", "[^/]+", path)
    return re.fullmatch(pattern, target.partition("?")[0]) is not None
