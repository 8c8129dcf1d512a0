from unicodedata import normalize

from hypothesis import given
from hypothesis import strategies as st

from everturn.integrations.strands.names import (
    agent_of,
    agent_place,
    conversation_of,
    multi_agent_place,
    redactions_place,
    session_place,
)

# A Kelvin sign, an accent that stands alone: one id in another Unicode form.
LETTERS = st.sampled_from("ab/%25F.K\u212ae\u0301\u00e9") | st.characters(codec="utf-8")
IDS = st.text(LETTERS, min_size=1, max_size=8)
PAIRS = st.tuples(IDS, IDS | st.just("default"))


@given(PAIRS, PAIRS)
def test_two_agents_never_share_a_conversation(
    one: tuple[str, str], other: tuple[str, str]
) -> None:
    """Whatever slashes and escapes stand in the ids of sessions and agents."""
    names = [normalize("NFC", conversation_of(*agent)) for agent in (one, other)]
    assert (names[0] == names[1]) == (one == other)
    assert names[0] == conversation_of(*one)


def test_an_agent_without_an_id_has_the_conversation_of_its_session() -> None:
    assert conversation_of("2026-trip") == conversation_of("2026-trip", "default") == "2026-trip"
    assert conversation_of("2026-trip", "booking") == "2026-trip/booking"


@given(IDS, IDS)
def test_the_documents_of_a_session_never_share_a_place(session: str, id_: str) -> None:
    makers = (agent_place, multi_agent_place, redactions_place)
    places = {session_place(session), *(make(session, id_) for make in makers)}

    assert len(places) == 4
    assert len({place.space for place in places}) == 1


@given(PAIRS, PAIRS)
def test_two_agents_never_share_a_document(one: tuple[str, str], other: tuple[str, str]) -> None:
    """Neither do two sessions, nor graphs."""
    for maker in (agent_place, multi_agent_place, redactions_place):
        places = [tuple(normalize("NFC", name) for name in maker(*each)) for each in (one, other)]
        assert (places[0] == places[1]) == (one == other)
        assert places[0] == maker(*one)


@given(IDS, IDS)
def test_the_agents_of_a_session_are_read_off_its_keys(session: str, agent: str) -> None:
    assert agent_of(agent_place(session, agent).key) == agent
    for place in (
        session_place(session), multi_agent_place(session, agent), redactions_place(session, agent)
    ):  # fmt: skip
        assert agent_of(place.key) is None
