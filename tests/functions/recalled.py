"""Conversations that recall is tested on, and what an answer shows."""

from typing import Any

from functions.house import House, Json


def say(house: House, *texts: str, id_: str = "c1", **fields: Any) -> None:  # noqa: ANN401 - any field
    """Append user turns."""
    turns = [{"role": "user", "text": text, **fields} for text in texts]
    assert house.append_turns(id_, turns).is_success


def texts(answer: Json) -> list[str]:
    """The texts of the hits, in order."""
    return [hit["text"] for hit in answer["hits"]]


def travel(house: House) -> None:
    """Six turns an hour apart, users and assistants in turn."""
    lines = [
        "When do I fly to Lisbon?",
        "On Friday at 09:40, gate B12.",
        "And where do I stay?",
        "At the hotel Aurora, Rua das Flores 7.",
        "What about dinner?",
        "A table at eight, by the sea.",
    ]
    turns = [
        {"role": "user" if number % 2 == 0 else "assistant", "text": text, "ts": at(number)}
        for number, text in enumerate(lines)
    ]
    assert house.append_turns("c1", turns).is_success


def at(hour: int) -> str:
    """When the turn of `travel` at this number was said."""
    return f"2025-06-01T{hour:02d}:00:00Z"
