"""How many tokens a tenant used today."""

import pytest

from emulation.counting_store import CountingStore
from everturn.consolidation.token_quota import TokenUse
from everturn.errors import OutcomeUnknownError
from everturn.ports.object_store import ObjectStore
from everturn.values.keys import token_use_key
from fakes.wrapped_store import RefusingStore
from scenarios.world import World

TENANT = "acme"
DAY_S = 86_400


def _use(world: World, daily: int = 100, *, store: ObjectStore | None = None) -> TokenUse:
    return TokenUse(store or world.derived, world.clock, TENANT, daily)


def test_it_is_spent_when_all_was_used(world: World) -> None:
    use = _use(world)
    assert not use.is_spent
    use.add(60)
    assert not use.is_spent
    use.add(40)
    assert use.is_spent


def test_every_process_of_a_tenant_uses_the_same(world: World) -> None:
    _use(world).add(100)
    assert _use(world).is_spent
    assert not TokenUse(world.derived, world.clock, "other", 100).is_spent


def test_the_next_day_of_utc_begins_anew(world: World) -> None:
    """The world begins at midnight."""
    _use(world).add(100)
    world.clock.sleep(DAY_S - 1)
    assert _use(world).is_spent
    world.clock.sleep(1)
    assert not _use(world).is_spent
    _use(world).add(1)
    assert not _use(world).is_spent


def test_without_a_limit_nothing_is_asked_or_counted(world: World) -> None:
    counting = CountingStore(world.derived)
    use = _use(world, 0, store=counting)
    use.add(10**9)
    assert not use.is_spent
    assert counting.verbs() == []


def test_nothing_used_is_not_written(world: World) -> None:
    counting = CountingStore(world.derived)
    _use(world, store=counting).add(0)
    assert counting.verbs() == []


def test_asking_takes_one_request_and_adding_two(world: World) -> None:
    counting = CountingStore(world.derived)
    use = _use(world, store=counting)
    assert not use.is_spent
    use.add(1)
    assert counting.verbs() == ["get", "get", "overwrite"]


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"[]", b"7", b"null", b"{}", b"\xff", b"[" * 100_000, b'{"day":"2026-01-01"}',
        b'{"day":"2026-01-01","tokens":null}', b'{"day":"2026-01-01","tokens":"many"}',
        b'{"day":"2026-01-01","tokens":[1]}', b'{"day":"2026-01-01","tokens":1e999}',
        b'{"day":"2025-12-31","tokens":100}',
    ],
)  # fmt: skip
def test_a_file_that_does_not_say_how_many_counts_as_none_and_is_replaced(
    world: World, body: bytes
) -> None:
    """It may be lost at any time as well."""
    world.derived.overwrite(token_use_key(TENANT), body)
    assert not _use(world).is_spent
    _use(world).add(100)
    assert _use(world).is_spent


def test_a_count_that_may_be_lost_fails_nobody(world: World) -> None:
    losing = RefusingStore(world.derived, "overwrite", "i/", OutcomeUnknownError("no answer"))
    _use(world, store=losing).add(100)
    assert not _use(world).is_spent
