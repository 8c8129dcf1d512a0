"""What is remembered, found, corrected, forgotten and erased, request after request."""

import pytest

from functions.house import House
from functions.memory_story import MARK, Teller


def _teller(house: House, *, restarting: bool) -> Teller:
    def restart() -> None:
        if restarting:
            house.parts.forget()

    return Teller(house.client, lambda: house.clock.sleep(3_600), restart)


@pytest.mark.parametrize("restarting", [False, True])
def test_a_day_with_an_agent_that_remembers(house: House, *, restarting: bool) -> None:
    """The same in one process, and where every answer comes from one that has just started."""
    _teller(house, restarting=restarting).tell()


def test_two_users_have_the_same_day_without_seeing_one_another(house: House) -> None:
    """A trusted caller acts as one user after the other: same ids, same process, same caches."""
    alice, bob = house.acting_as("alice"), house.acting_as("bob")
    for first, second in ((alice, bob), (bob, alice)):
        second_before = second.client.get("/v1/memories").json()
        _teller(first, restarting=False).tell()
        assert second.client.get("/v1/memories").json() == second_before
    for house_of in (alice, bob):
        assert MARK not in house_of.client.get("/v1/memories").text
