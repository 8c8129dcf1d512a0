"""What doctor says of the extractor."""

import pytest

from everturn.cli.output.model_lines import extractor_line
from everturn.settings.process import read_settings

GATEWAY = {"EVERTURN_GATEWAY_URL": "https://gateway.test/v1"}
SMALL = {"EVERTURN_EXTRACT_MODEL": "small"}

RULES = (
    "rules: no model is named, gateway: EVERTURN_EXTRACT_MODEL is not set;"
    " provider: EVERTURN_PROVIDER_URL is not set;"
    " bedrock: EVERTURN_BEDROCK_EXTRACT_MODEL is not set"
)


@pytest.mark.parametrize(
    ("environment", "line"),
    [
        (
            GATEWAY,
            RULES,
        ),
        ({"EVERTURN_EXTRACTOR": "rules"}, "rules: it is asked for by its name"),
        (
            {**GATEWAY, **SMALL, "EVERTURN_EXTRACTOR": "rules"},
            "rules: it is asked for by its name",
        ),
        (
            {**GATEWAY, **SMALL},
            "gateway:small (not asked now): it is the first of those configured",
        ),
        (
            {**GATEWAY, **SMALL, "EVERTURN_EXTRACT_FALLBACK_MODEL": "big",
             "EVERTURN_EXTRACTOR": "gateway"},
            "gateway:small, then gateway:big (not asked now): it is asked for by its name",
        ),
    ],
)  # fmt: skip
def test_it_is_named_with_its_reason(environment: dict[str, str], line: str) -> None:
    assert extractor_line(read_settings({"EVERTURN_STORE": "d", **environment})) == line
