from everturn.client import Everturn

_STEPS = {"name": "Release", "trigger": "a tag", "steps": ["build", "push"]}


def test_memories_are_kept(client: Everturn) -> None:
    made = client.remember("preference", "Likes short answers.", pinned=True, importance=9)
    assert made.created
    assert made.memory is not None
    found = client.retrieve("answers", kinds=["preference"]).snippets[0]
    assert found.uri == made.memory.uri
    assert "Likes short answers." in client.pinned(goal="write").text
    changed = client.correct_memory(found.uri, "Likes long answers.")
    assert changed.superseded == made.memory.id
    with_history = client.get_memory(made.memory.id)
    assert with_history.memory.statement == "Likes long answers."
    assert with_history.history[0].statement == "Likes short answers."
    assert not client.change_memory(changed.memory.uri, pinned=False).memory.pinned
    assert len(list(client.all_memories(superseded=True))) == 2
    assert "Likes long answers." in client.context("answers?").text
    assert client.forget_memory(changed.memory.id).complete
    assert list(client.all_memories(kind="preference")) == []


def test_patterns_are_proven_and_promoted(client: Everturn) -> None:
    for _ in range(3):
        made = client.remember("pattern", spec=_STEPS)
    assert made.memory is not None
    assert made.memory.spec is not None
    assert made.memory.spec.steps == ("build", "push")
    assert client.procedural(goal="a tag").patterns[0].spec == made.memory.spec
    assert client.record_outcome(made.memory.id, "success").memory.id == made.memory.id
    assert client.promote_memory(made.memory.id).files
    again = client.correct_memory(made.memory.id, spec=made.memory.spec)
    assert again.memory.spec == made.memory.spec


def test_a_memory_names_the_turns_that_said_it(client: Everturn) -> None:
    client.append_user("c-1", "I live in Oslo.")
    source = {"conversation_id": "c-1", "from": 0, "to": 0, "quote": "I live in Oslo."}
    for _ in range(2):
        made = client.remember("fact", "The user lives in Oslo.", source=source)
    assert made.memory is not None
    assert made.memory.count == 1
    assert (made.memory.sources[0].from_, made.memory.sources[0].to) == (0, 0)
