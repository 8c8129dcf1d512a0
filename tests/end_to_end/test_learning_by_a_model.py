"""`everturn up` with a model at a gateway, in processes of its own, through an outage too."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from cli.everturn_process import everturn_up
from emulation.chat_service import Answers, ChatService, Reply
from end_to_end.learning_server import wait_for
from end_to_end.recorded_talk import (
    DANA_TOLD,
    FOUND_BY_MODEL,
    TALK,
    Listener,
    answering,
    asking,
    facts,
    is_down,
)
from functions.house import Json

pytestmark = pytest.mark.slow


def _down_for(requests: int, answer: Answers) -> Answers:
    left = iter(range(requests))

    def reply(request: Json) -> Reply:
        return is_down(request) if next(left, None) is not None else answer(request)

    return reply


@contextmanager
def _up(folder: Path, service: ChatService, *options: str) -> Iterator[tuple[Listener, str]]:
    """Start `everturn up`; yield a user of it and what it says of itself."""
    # A proxy of this machine's user is none for its own gateway.
    settings = asking(service, settle_s=1, NO_PROXY="127.0.0.1", no_proxy="127.0.0.1")
    with (
        everturn_up("--dir", "d", *options, cwd=folder, environment=settings) as up,
        httpx.Client(base_url=up.url, trust_env=False, timeout=60) as client,
    ):
        yield Listener(client, _wait_until), up.banner


def _wait_until(is_so: Callable[[], bool]) -> None:
    wait_for(is_so, bool)


@pytest.mark.parametrize("options", [(), ("--emulate-aws",)])
def test_a_server_learns_by_its_model_within_seconds(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    with ChatService(DANA_TOLD) as service, _up(tmp_path, service, *options) as (listener, banner):
        assert "gateway:small" in banner
        listener.tell("demo", *TALK)
        listener.learn(lambda: listener.statements() == FOUND_BY_MODEL)
        listener.learn(listener.is_drained)
        listener.assert_known(FOUND_BY_MODEL, "demo")
    errors = (tmp_path / "up.err").read_text()
    assert "Traceback" not in errors
    assert "Dana" not in errors


def test_a_server_whose_model_is_down_for_a_while_reads_all_in_the_end(
    tmp_path: Path,
) -> None:
    """By itself: what was said meanwhile is read when the model answers again."""
    names = [f"d{number}" for number in range(4)]
    lines = {name: f"The gate of {name} is {number}7." for number, name in enumerate(names)}
    recorded = [(line, facts(line)) for line in lines.values()]
    answers = _down_for(9, answering(*recorded))
    with ChatService(answers) as service, _up(tmp_path, service) as (listener, _):
        for name, line in lines.items():
            listener.tell(name, ("user", line))
        wait_for(listener.statements, set(lines.values()).__eq__, within_s=180)
        wait_for(listener.is_drained, bool)
        told = listener.status()
    assert (told["quarantined"], told["dead"]) == (0, 0)
    log = (tmp_path / "d" / ".everturn" / "logs" / "everturn.log").read_text()
    assert "a job failed and comes again" in log
    assert "gate" not in log
