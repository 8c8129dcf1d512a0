"""What fails in a pass is looked at again in the next, and costs no more than itself."""

from collections.abc import Callable

from everturn.errors import AccessDeniedError
from everturn.ports.object_store import ObjectStore
from everturn.upkeep.sweep_tasks import Swept
from everturn.values.keys import head_key
from fakes.interleaved_store import InterleavedStore
from fakes.wrapped_store import Answer, Verb
from scenarios.process import SCOPE
from scenarios.world import World
from upkeep.sweep_calls import DAY_S, sweep_call, swept_after


class _Refusing(InterleavedStore):
    """Refuses to read these keys."""

    def __init__(self, inner: ObjectStore, refused: set[str]) -> None:
        super().__init__(inner)
        self._refused = refused

    def _request(self, verb: Verb, key: str, send: Callable[[], Answer]) -> Answer:
        if verb == "get" and key in self._refused:
            raise AccessDeniedError("403")
        return super()._request(verb, key, send)


def test_a_head_that_is_always_refused_costs_the_next_pass_itself_alone(world: World) -> None:
    for number in range(50):
        world.process().append("a", to=f"c{number}")
    refusing = _Refusing(world.data, {head_key(SCOPE, "c7")})
    world.clock.sleep(2 * DAY_S)
    read = [sweep_call(world, data=refusing).swept for _ in range(3)]
    assert [(swept.heads_read, swept.failed) for swept in read] == [(50, 1), (1, 1), (1, 1)]
    assert swept_after(world, 0) == Swept(heads_read=1)
    assert swept_after(world, 0) == Swept()


def test_more_failures_than_can_be_remembered_leave_all_of_it_due(world: World) -> None:
    names = [f"c{number:03d}" for number in range(103)]
    for name in names:
        world.process().append("a", to=name)
    world.clock.sleep(2 * DAY_S)
    refusing = _Refusing(world.data, {head_key(SCOPE, name) for name in names[:101]})
    for _ in range(2):
        outcome = sweep_call(world, data=refusing)
        assert (outcome.complete, outcome.swept.heads_read) == (False, 103)
    assert swept_after(world, 0).heads_read == 103
    assert swept_after(world, 0).heads_read == 0


def test_a_pass_that_stops_and_goes_on_still_knows_what_failed(world: World) -> None:
    for number in range(50):
        world.process().append("a", to=f"c{number:02d}")
    refusing = _Refusing(world.data, {head_key(SCOPE, "c03")})
    world.clock.sleep(2 * DAY_S)
    assert sweep_call(world, data=refusing, reads=1).swept.failed == 1
    assert sweep_call(world, data=refusing).complete
    assert swept_after(world, 0).heads_read == 1
