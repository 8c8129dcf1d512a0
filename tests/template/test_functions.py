"""The functions: how they are built, configured and logged."""

import ast
import re

import pytest

from template.loaded import ROOT, Template, loaded, of_type
from template.resolved import resolved

FUNCTIONS = sorted(of_type(resolved(), "AWS::Serverless::Function"))


def _function(name: str, **parameters: str) -> Template:
    return of_type(resolved(**parameters), "AWS::Serverless::Function")[name]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_runs_python_3_13_on_arm_from_its_own_folder_and_the_layer(name: str) -> None:
    function = _function(name)
    assert (function["Runtime"], function["Architectures"]) == ("python3.13", ["arm64"])
    assert (function["Layers"], function["Handler"]) == (["LayerArm64"], "app.handler")
    assert function["CodeUri"] == f"functions/{name.lower()}/"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_folder_of_a_function_exists_and_has_its_handler(name: str) -> None:
    app = ROOT / _function(name)["CodeUri"] / "app.py"
    assert "handler" in _top_level_names(ast.parse(app.read_text(encoding="utf-8")))


def _top_level_names(module: ast.Module) -> set[str]:
    functions = {node.name for node in module.body if isinstance(node, ast.FunctionDef)}
    assigned = {
        target.id
        for node in module.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    return functions | assigned


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - {"Consolidate", "Sweep"}))
def test_a_request_ends_within_20_seconds(name: str) -> None:
    assert _function(name)["Timeout"] == 20


def test_the_sweep_runs_on_a_schedule_and_as_long_as_lambda_allows() -> None:
    sweep = _function("Sweep", SweepSchedule="rate(1 day)")
    [event] = sweep["Events"].values()
    assert (sweep["Timeout"], event["Type"]) == (900, "Schedule")
    assert event["Properties"]["Schedule"] == "rate(1 day)"
    assert [name for name in FUNCTIONS if "Events" in _function(name)] == ["Consolidate", "Sweep"]


@pytest.mark.parametrize(
    ("schedule", "fits"), [("rate(1 hour)", True), ("cron(0 3 * * ? *)", True), ("hourly", False)]
)
def test_a_schedule_is_a_rate_or_a_cron_expression(schedule: str, *, fits: bool) -> None:
    pattern = loaded()["Parameters"]["SweepSchedule"]["AllowedPattern"]
    assert bool(re.match(pattern, schedule)) is fits


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_not_traced_and_reserves_nothing(name: str) -> None:
    assert not _function(name).keys() & {
        "Tracing",
        "ReservedConcurrentExecutions",
        "ProvisionedConcurrencyConfig",
    }


@pytest.mark.parametrize("name", ["Consolidate", "Recall", "Retrieve"])
def test_what_searches_or_builds_indexes_has_a_whole_processor(name: str) -> None:
    """https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html."""
    assert _function(name)["MemorySize"] == 1769


@pytest.mark.parametrize("name", FUNCTIONS)
def test_lambda_does_not_filter_what_powertools_writes(name: str) -> None:
    """With the format JSON, a level above INFO would drop the metrics."""
    assert _function(name)["LoggingConfig"]["LogFormat"] == "Text"


def test_every_log_group_ends_as_the_parameter_says_and_each_function_has_its_own() -> None:
    template = resolved(LogRetentionDays="14")
    groups = of_type(template, "AWS::Logs::LogGroup")
    assert {group["RetentionInDays"] for group in groups.values()} == {"14"}
    assert len({group["LogGroupName"] for group in groups.values()}) == len(groups)
    used = [_function(name)["LoggingConfig"]["LogGroup"] for name in FUNCTIONS]
    assert len(set(used)) == len(FUNCTIONS)
    assert set(used) < set(groups)


def test_every_parameter_is_described_labelled_and_grouped() -> None:
    template = loaded()
    names = set(template["Parameters"])
    interface = template["Metadata"]["AWS::CloudFormation::Interface"]
    grouped = [name for group in interface["ParameterGroups"] for name in group["Parameters"]]
    assert sorted(grouped) == sorted(names)
    assert set(interface["ParameterLabels"]) == names
    assert not [name for name, spec in template["Parameters"].items() if not spec["Description"]]


def test_a_stack_can_be_made_without_giving_a_parameter() -> None:
    assert not [name for name, spec in loaded()["Parameters"].items() if "Default" not in spec]


def test_the_outputs_are_the_address_and_the_buckets() -> None:
    outputs = {name: output["Value"] for name, output in resolved()["Outputs"].items()}
    assert outputs == {
        "ApiUrl": "Api.ApiEndpoint",
        "DataBucketName": "DataBucket",
        "DerivedBucketName": "DerivedBucket",
    }
