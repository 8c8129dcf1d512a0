"""Requests made of the API's description, valid ones and others, to a running server."""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test
from schemathesis.config import SchemathesisConfig

from cli.everturn_process import everturn_up
from end_to_end import schemathesis_hooks
from everturn.local.openapi.document import OPERATIONS

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
_HERE = Path(__file__).parent
_CONFIG = _HERE / "schemathesis.toml"
_SEED = "1"
Report = dict[str, Any]
# As many answers lead to others; the rest of the links needs a long story to be reached.
_LEAST_LINKS = {"conversations, turns, memories": 35, "documents": 5}


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("described")
    with everturn_up("--dir", str(folder / "store"), cwd=folder) as up:
        yield up.url


def described_by(url: str) -> dict[str, Any]:
    answer = httpx.get(f"{url}/openapi.json", trust_env=False, timeout=60).raise_for_status()
    described: dict[str, Any] = answer.json()
    return described


def run(url: str, described: str, folder: Path, *options: str) -> tuple[int, str, Report]:
    """Run it as a user does: exit code, what it printed, its report."""
    report = folder / "report.json"
    done = subprocess.run(
        [
            *(sys.executable, "-c", "from schemathesis.cli import schemathesis; schemathesis()"),
            *("--config-file", str(_CONFIG), "run", described, "--url", url, *options),
            *("--seed", _SEED, "--no-color", "--report-json-path", str(report)),
        ],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(_HERE), "SCHEMATHESIS_HOOKS": "schemathesis_hooks"},
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    told: Report = json.loads(report.read_text())
    return done.returncode, done.stdout[-20_000:] + done.stderr[-2_000:], told


def test_every_route_answers_as_its_description_says(url: str, tmp_path: Path) -> None:
    """Examples, every value at its limits, values by chance: no 5xx, no answer undescribed."""
    options = ("--phases", "examples,coverage,fuzzing")
    code, printed, report = run(url, f"{url}/openapi.json", tmp_path, *options)
    assert code == 0, printed
    assert report["operations"]["tested"] == report["operations"]["total"] == len(OPERATIONS)
    assert report["test_cases"]["generated"] > 2_000
    assert not report["errors"]


def _without_a_field_of_an_answer(schemas: dict[str, Any]) -> None:
    del schemas["Conversations"]["properties"]["skipped"]
    schemas["Conversations"]["required"].remove("skipped")


def _with_a_limit_that_is_none(schemas: dict[str, Any]) -> None:
    schemas["CreateBody"]["properties"]["title"]["anyOf"][0]["maxLength"] = 10


@pytest.mark.parametrize("spoil", [_without_a_field_of_an_answer, _with_a_limit_that_is_none])
def test_a_description_that_is_wrong_is_found_out(
    url: str, tmp_path: Path, spoil: Callable[[dict[str, Any]], None]
) -> None:
    wrong = described_by(url)
    spoil(wrong["components"]["schemas"])
    path = "/v1/conversations"
    wrong["paths"] = {path: wrong["paths"][path]}
    (tmp_path / "wrong.json").write_text(json.dumps(wrong))
    code, printed, report = run(url, "wrong.json", tmp_path, "--phases", "examples,coverage")
    assert code == 1, printed
    assert report["failures"]


@pytest.mark.parametrize("area", list(_LEAST_LINKS))
def test_what_an_answer_leads_to_answers_as_described(url: str, area: str) -> None:
    """A conversation that was made is read, changed, searched, deleted, and is gone then."""
    documents = area == "documents"
    description = described_by(url)
    paths = description["paths"].items()
    described = {path: each for path, each in paths if ("/documents/" in path) is documents}
    schema = schemathesis.openapi.from_dict(
        {**description, "paths": described}, config=SchemathesisConfig.from_path(_CONFIG)
    )
    schema.config.update(base_url=url)
    followed: Counter[str] = Counter()
    machine = _machine(schema, area[:3], followed)
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=20 if documents else 40,
            stateful_step_count=12 if documents else 30,
            deadline=None,
            database=None,
            derandomize=True,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )
    assert len(followed) >= _LEAST_LINKS[area], followed


def _machine(schema: Any, name: str, followed: Counter[str]) -> type[Any]:  # noqa: ANN401  # theirs
    """Make a state machine; each of its runs is a user, so that none is misled by another."""
    serial = count()

    class Machine(schema.as_state_machine()):  # type: ignore[misc]  # a class made at run time
        def setup(self) -> None:
            super().setup()
            self.actor = f"{name}-{next(serial)}"

        def before_call(self, case: Any) -> None:  # noqa: ANN401  # theirs
            case.headers["X-Everturn-Actor"] = self.actor
            super().before_call(case)

        def step(self, input: Any) -> Any:  # noqa: A002, ANN401  # theirs
            if input.transition is not None:
                followed[input.transition.id] += 1
            return super().step(input)

    return Machine


def test_the_local_server_may_not_answer_as_api_gateway_alone_does(url: str) -> None:
    described = described_by(url)
    schemathesis_hooks.before_load_schema(None, described)
    answers = described["components"]["responses"].items()
    taken = {key: answer["content"]["application/json"]["schema"] for key, answer in answers}
    ours = {"$ref": "#/components/schemas/ErrorAnswer"}
    assert {key for key, schema in taken.items() if schema != ours} == {"429", "502"}


def test_the_rules_that_no_schema_can_say_are_rules_of_ours() -> None:
    """Each begins a message that stands in our code: one that is gone excuses nothing."""
    code = "\n".join(
        path.read_text("utf-8") for path in (_HERE.parents[1] / "shared" / "everturn").rglob("*.py")
    )
    foreign = "input should be a valid integer"
    missing = [rule for rule in schemathesis_hooks.UNSAYABLE if rule != foreign]
    assert [rule for rule in missing if rule not in code] == []
