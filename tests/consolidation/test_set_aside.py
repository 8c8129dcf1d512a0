"""A turn that nobody can read is passed over only when that is noted."""

import pytest

from consolidation.consolidations import PlannedExtractor, mark_of, run, set_aside
from everturn.errors import PreconditionFailedError, UnavailableError
from everturn.ports.object_store import ANY
from fakes.wrapped_store import RefusingStore
from scenarios.world import World

CONFLICT = PreconditionFailedError("another write is in flight")


def test_a_store_in_conflict_that_noted_nothing_keeps_the_turn(world: World) -> None:
    """S3 answers 409 to a write that it did not do, though nothing is there.

    https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
    """
    world.process().append("poison")
    extractor = PlannedExtractor(poison=["poison"])
    with pytest.raises(UnavailableError):
        run(world, extractor, data=RefusingStore(world.data, "put", "q/", CONFLICT))
    assert mark_of(world).turns == 0
    assert not set_aside(world)
    assert run(world, extractor).quarantined == 1
    assert len(set_aside(world)) == mark_of(world).turns == 1


def test_a_turn_that_was_noted_before_is_passed_over(world: World) -> None:
    """Its call crashed before the watermark moved."""
    world.process().append("poison")
    extractor = PlannedExtractor(poison=["poison"])
    run(world, extractor)
    for entry in world.data.list("w/").entries:
        world.data.delete(entry.key, expect=ANY)
    assert run(world, extractor).quarantined == 1
    assert len(set_aside(world)) == mark_of(world).turns == 1
