"""Cases of what a model returned: what of it is stored, and whether it is to be asked again."""

from types import ModuleType

from cases.case import Case
from everturn.extraction.answers.parse_answer import parse_extraction
from extraction.answers.model_answers import written


def probe_parse(case: Case, kit: ModuleType) -> None:
    """Parse the output of a case, with the examples of its prompt known and not."""
    given = case["input"]
    known: list[str] = given.get("prompt_examples", [])
    for examples in ([], known):
        found = parse_extraction(
            given["raw"],
            finish_reason=given.get("finish_reason"),
            transcript=given.get("transcript"),
            examples=examples,
        )
        assert kit.check_parse({"result": found.result, **written(found)}, case) == []
