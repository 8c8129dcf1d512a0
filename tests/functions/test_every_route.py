"""The table of requests knows every route of the template, and each of its requests is served."""

from fakes.listed_queue import ListedQueue
from functions.every_route import BY_ROUTE, CALLS, ROUTES, prepare
from functions.house import House


def test_every_route_of_the_template_has_one_request() -> None:
    assert sorted(call.route for call in CALLS) == sorted(ROUTES)
    assert len(BY_ROUTE) == len(CALLS)


def test_every_request_of_the_table_is_served(house: House) -> None:
    """One after the other, by one user: what takes away comes last."""
    house.parts.join(ListedQueue(house.clock, max_depth=9))
    rid = prepare(house)
    refused = {
        call.route: response.text
        for call in CALLS
        if not (response := call.send(house, rid=rid, count="3")).is_success
    }
    assert refused == {}
