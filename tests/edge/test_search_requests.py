"""How much of a query and of a goal counts.

Its beginning, since an agent may send a whole message.
"""

import pytest

from cpu_time import cpu_limit
from everturn.edge.recall_requests import ContextBody, PromptBody, RecallBody, RetrieveBody
from everturn.memory.model.retrieve_request import MAX_GOAL_CHARS
from everturn.prompts.pinned_block import PinnedParts, pinned_block
from everturn.recall.index.recall_request import MAX_QUERY_CHARS


@pytest.mark.parametrize("body", [RecallBody, RetrieveBody, ContextBody])
@pytest.mark.parametrize("filler", ["x", "\u6f22", "\U0001f44d", " "])
def test_a_query_counts_by_its_first_8192_characters(
    body: type[RecallBody | RetrieveBody | ContextBody], filler: str
) -> None:
    whole = "a" + filler * (MAX_QUERY_CHARS - 1)
    for given in (whole, f"{whole}b"):
        assert body.model_validate({"query": given}).request().query == whole


def test_a_goal_counts_by_its_first_65536_characters() -> None:
    whole = "a" * MAX_GOAL_CHARS
    for given in (whole, f"{whole}b"):
        assert PromptBody(goal=given).goal == whole
        assert ContextBody(query="x", goal=given).request().goal == whole


def test_a_goal_of_blanks_is_none() -> None:
    assert PromptBody(goal=" " * MAX_GOAL_CHARS + "a").goal == ""


@pytest.mark.parametrize("line", ["x\n", "\n", " ", "\u200b\n", "x "])
def test_the_longest_goal_costs_little(line: str) -> None:
    with cpu_limit(1):
        goal = PromptBody(goal=line * 1_000_000).goal
        pinned_block(PinnedParts(goal=goal), 2_000)
