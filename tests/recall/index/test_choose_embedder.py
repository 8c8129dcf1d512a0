"""Which embedder is live, why, and when another one is looked for."""

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from everturn.adapters.system_clock import ManualClock
from everturn.errors import EverturnError, MisconfiguredError, UnavailableError
from everturn.recall.index.choose_embedder import Candidate, Embedders, Tried
from fakes.fake_embedder import FakeEmbedder

NAMES = ("gateway", "provider", "bedrock", "local", "hash")
AWAY = UnavailableError("no answer in time")
WRONG = MisconfiguredError("it answered with an error status=401")


class Models:
    """Embedders by name; `opened` is each attempt to open one, `failing` what some of them say."""

    def __init__(self, **missing: str) -> None:
        self.opened: list[str] = []
        self.failing: dict[str, EverturnError] = {}
        self.clock = ManualClock()
        self.takes_s = 0.0
        self._missing = missing

    def embedders(self, pinned: str = "") -> Embedders:
        candidates = [
            Candidate(name, partial(self._open, name), self._missing.get(name)) for name in NAMES
        ]
        return Embedders(candidates, self.clock, pinned=pinned)

    def _open(self, name: str) -> FakeEmbedder:
        self.opened.append(name)
        threading.Event().wait(self.takes_s)
        if name in self.failing:
            raise self.failing[name]
        return FakeEmbedder(model=name, semantic=name != "hash")


def test_the_first_that_answers_is_live_and_no_other_is_asked() -> None:
    models = Models()
    choice = models.embedders().live()
    assert (choice.name, choice.embedder.model) == ("gateway", "gateway")
    assert (choice.tried, choice.fell_back) == ((), False)
    assert choice.reason == "it is the first of those configured"
    assert models.opened == ["gateway"]


def test_what_is_not_configured_is_not_asked_and_the_reason_is_kept() -> None:
    models = Models(gateway="EVERTURN_GATEWAY_URL is not set")
    choice = models.embedders().live()
    assert choice.name == "provider"
    assert choice.tried == (Tried("gateway", "EVERTURN_GATEWAY_URL is not set"),)
    assert choice.fell_back is False
    assert models.opened == ["provider"]


def test_with_nothing_configured_the_last_one_is_no_fall() -> None:
    models = Models(**dict.fromkeys(NAMES[:-1], "not set"))
    choice = models.embedders().live()
    assert (choice.name, choice.fell_back) == ("hash", False)
    assert choice.reason == "no embedding model is configured"
    assert [tried.name for tried in choice.tried] == list(NAMES[:-1])


@pytest.mark.parametrize("failure", [AWAY, WRONG])
def test_one_that_fails_is_passed_over_with_its_reason(failure: EverturnError) -> None:
    models = Models(provider="not set", bedrock="not set")
    models.failing = {"gateway": failure}
    choice = models.embedders().live()
    assert (choice.name, choice.fell_back) == ("local", True)
    assert choice.tried[0] == Tried("gateway", failure.message)
    assert choice.reason == f"gateway: {failure.message}"


def test_each_is_asked_once_however_often_the_choice_is_wanted() -> None:
    models = Models()
    embedders = models.embedders()
    first = embedders.live()
    models.clock.sleep(1e6)
    assert embedders.live() is first
    assert models.opened == ["gateway"]


def test_what_failed_is_asked_again_after_a_minute_and_no_sooner() -> None:
    models = Models()
    models.failing = {"gateway": AWAY, "provider": AWAY}
    embedders = models.embedders()
    fallen = embedders.live()
    assert (fallen.name, models.opened) == ("bedrock", ["gateway", "provider", "bedrock"])
    models.clock.sleep(59)
    assert embedders.live() is fallen
    models.clock.sleep(1)
    del models.failing["provider"]
    better = embedders.live()
    assert (better.name, better.fell_back) == ("provider", True)
    assert models.opened[3:] == ["gateway", "provider"]
    models.clock.sleep(60)
    models.failing.clear()
    best = embedders.live()
    assert (best.name, best.fell_back, best.tried) == ("gateway", False, ())
    models.clock.sleep(1e6)
    assert embedders.live() is best
    assert models.opened[5:] == ["gateway"]


def test_one_that_still_fails_leaves_the_choice_as_it_is() -> None:
    models = Models()
    models.failing = {"gateway": AWAY}
    embedders = models.embedders()
    before = embedders.live()
    models.clock.sleep(60)
    assert embedders.live() == before
    assert models.opened == ["gateway", "provider", "gateway"]


def test_a_pinned_one_is_the_only_one_asked() -> None:
    models = Models()
    choice = models.embedders("bedrock").live()
    assert (choice.name, choice.fell_back, choice.tried) == ("bedrock", False, ())
    assert choice.reason == "it is asked for by its name"
    assert models.opened == ["bedrock"]


def test_the_last_one_can_be_pinned() -> None:
    choice = Models().embedders("hash").live()
    assert (choice.name, choice.fell_back, choice.tried) == ("hash", False, ())
    assert choice.reason == "it is asked for by its name"


def test_a_pinned_one_that_fails_falls_to_the_last_and_is_asked_again() -> None:
    models = Models()
    models.failing = {"bedrock": WRONG}
    embedders = models.embedders("bedrock")
    choice = embedders.live()
    assert (choice.name, choice.fell_back) == ("hash", True)
    assert choice.reason == f"bedrock: {WRONG.message}"
    models.clock.sleep(60)
    models.failing.clear()
    assert embedders.live().name == "bedrock"
    assert models.opened == ["bedrock", "hash", "bedrock"]


def test_a_pinned_one_that_is_not_configured_falls_to_the_last() -> None:
    models = Models(local="no model is installed")
    choice = models.embedders("local").live()
    assert (choice.name, choice.fell_back) == ("hash", True)
    assert choice.reason == "local: no model is installed"


def test_an_unknown_name_falls_to_the_last_and_says_so() -> None:
    models = Models()
    choice = models.embedders("gatewya").live()
    assert (choice.name, choice.fell_back) == ("hash", True)
    assert choice.tried == (Tried("gatewya", "there is no embedder of this name"),)
    assert choice.reason == "gatewya: there is no embedder of this name"
    assert models.opened == ["hash"]


def test_where_even_the_last_one_fails_the_process_says_why() -> None:
    models = Models(gateway="not set")
    models.failing = dict.fromkeys(NAMES, AWAY)
    with pytest.raises(MisconfiguredError, match="gateway: not set; provider: no answer in time"):
        models.embedders().live()


def test_threads_that_come_together_ask_each_once() -> None:
    models = Models()
    models.failing = {"gateway": AWAY}
    models.takes_s = 0.02
    embedders = models.embedders()
    together = threading.Barrier(8)

    def live() -> str:
        together.wait()
        return embedders.live().name

    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(live) for _ in range(8)]
    assert {future.result() for future in asked} == {"provider"}
    assert models.opened == ["gateway", "provider"]


def test_while_one_thread_looks_again_others_use_the_choice_that_stands() -> None:
    clock = ManualClock()
    inside, go_on = threading.Event(), threading.Event()
    gateway_is_slow = False

    def open_gateway() -> FakeEmbedder:
        if gateway_is_slow:
            inside.set()
            assert go_on.wait(60)
        raise AWAY

    candidates = [Candidate("gateway", open_gateway), Candidate("hash", FakeEmbedder)]
    embedders = Embedders(candidates, clock)
    standing = embedders.live()
    clock.sleep(60)
    gateway_is_slow = True
    with ThreadPoolExecutor(1) as pool:
        looking = pool.submit(embedders.live)
        assert inside.wait(60)
        assert embedders.live() is standing
        go_on.set()
        assert looking.result() == standing
