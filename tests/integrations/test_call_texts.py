"""What is shown of a call."""

from everturn.integrations.call_texts import called


def test_a_call_is_its_name_and_what_it_asks_for_cut_where_it_is_long() -> None:
    assert called("f", {"city": "Zürich"}) == 'f {"city": "Zürich"}'
    assert called("f", '{"a": 1}') == 'f {"a": 1}'
    assert len(called("f", "x" * 5_000)) == 1_002
    assert called("f", "") == "f"
