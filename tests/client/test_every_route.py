import json
import re

from client.faults import FaultyNetwork
from everturn.client import Everturn
from repository import REPOSITORY

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
    network.meets([])
    _talk(memory)
    _look_for_things(memory)
    _remember(memory, made.id, proven.id)
    _keep_documents(memory)
    list(memory.export())
    memory.delete_conversation("c")
    memory.erase()


def _talk(memory: Everturn) -> None:
    memory.create_conversation("d")
    memory.list_conversations()
    memory.get_conversation("c")
    memory.update_conversation("c", title="T")
    memory.export_conversation("c")
    memory.consolidate("c")
    memory.append_user("c", "Bye.")
    memory.get_turns("c")
    memory.redact_turn("c", 0)
    memory.pop_turn("c", expected_turn_count=2)


def _look_for_things(memory: Everturn) -> None:
    memory.recent_turns()
    memory.recall("x")
    memory.recall("x", conversation_id="c")
    memory.themes()
    memory.retrieve("x")
    memory.pinned()
    memory.procedural()
    memory.context("x")
    memory.status()


def _remember(memory: Everturn, fact: str, pattern: str) -> None:
    memory.remember("fact", "Water is wet.")
    memory.list_memories()
    memory.get_memory(fact)
    memory.correct_memory(fact, "The sky is grey.")
    memory.forget_memory(fact)
    memory.record_outcome(pattern, "success")
    memory.promote_memory(pattern)


def _keep_documents(memory: Everturn) -> None:
    memory.put_document("s", "k", 1)
    memory.get_document("s", "k")
    memory.list_documents("s")
    memory.delete_document("s", "k")


def _matches(path: str, target: str) -> bool:
    pattern = re.sub(r"\{[a-z_]+\}", "[^/]+", path)
    return re.fullmatch(pattern, target.partition("?")[0]) is not None
