"""Virtual time: who waits hands over, and the earliest instant comes next."""

import pytest

from simulator.timeline import NS, Timeline, VirtualClock


def test_actors_act_in_the_order_of_their_instants() -> None:
    timeline, seen = Timeline(), list[tuple[str, int]]()
    start_ns = timeline.now_ns

    def actor(name: str, *waits_s: int) -> None:
        for wait_s in waits_s:
            timeline.wait_until(timeline.now_ns + wait_s * NS)
            seen.append((name, (timeline.now_ns - start_ns) // NS))

    timeline.spawn(lambda: actor("a", 1, 3), at_ns=start_ns)
    timeline.spawn(lambda: actor("b", 2, 1), at_ns=start_ns)
    timeline.at(start_ns + 3 * NS, lambda: seen.append(("event", 3)))
    timeline.run()
    assert seen == [("a", 1), ("b", 2), ("event", 3), ("b", 3), ("a", 4)]


def test_a_clock_that_is_ahead_sleeps_no_longer() -> None:
    timeline = Timeline(5 * NS)
    clock = VirtualClock(timeline, ahead_ns=7 * NS)
    timeline.spawn(lambda: clock.sleep(2), at_ns=6 * NS)
    timeline.run()
    assert (clock.now_ns(), clock.monotonic_s()) == (15 * NS, 8.0)


def test_what_an_actor_raises_is_raised_after_the_others_have_ended() -> None:
    timeline, seen = Timeline(), list[str]()

    def fail() -> None:
        raise ValueError("wrong")

    timeline.spawn(fail, at_ns=timeline.now_ns)
    timeline.spawn(lambda: seen.append("after"), at_ns=timeline.now_ns + 1)
    with pytest.raises(ValueError, match="wrong"):
        timeline.run()
    assert seen == ["after"]
