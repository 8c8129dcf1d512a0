from pathlib import Path

import pytest

from everturn.errors import MisconfiguredError
from everturn.local.template import Function, read_function, read_routes
from local.echo import TEMPLATE, write_tree


def test_routes_are_read_in_order_whatever_form_their_references_have(tmp_path: Path) -> None:
    write_tree(tmp_path)
    routes = read_routes(tmp_path / "template.yaml")
    assert [route.key for route in routes] == [
        "GET /v1/things",
        "GET /v1/things/{id}",
        "POST /v1/things",
    ]
    assert {route.function.name for route in routes} == {"EchoFunction"}
    assert routes[0].function.code_uri == "functions/echo/"


def test_a_function_has_its_own_timeout_else_that_of_all_else_lambdas(tmp_path: Path) -> None:
    path = tmp_path / "template.yaml"
    function = "{Type: 'AWS::Serverless::Function', Properties: {CodeUri: c/, Handler: app.handler"
    resources = f"Resources: {{Own: {function}, Timeout: 180}}}}, Other: {function}}}}}}}"
    path.write_text(f"Globals: {{Function: {{Timeout: 20}}}}\n{resources}")
    assert read_function(path, "Own") == Function("Own", "c/", "app.handler", 180)
    assert read_function(path, "Other").timeout_s == 20
    path.write_text(resources)
    assert read_function(path, "Other").timeout_s == 3


def test_a_function_that_is_not_there_is_named(tmp_path: Path) -> None:
    write_tree(tmp_path)
    with pytest.raises(MisconfiguredError, match="function=None"):
        read_function(tmp_path / "template.yaml", "None")


@pytest.mark.parametrize("lost", ["${EchoIntegration}", "!GetAtt EchoFunction.Arn}"])
def test_a_route_that_ends_in_no_function_is_refused(tmp_path: Path, lost: str) -> None:
    path = tmp_path / "template.yaml"
    path.write_text(TEMPLATE.replace(lost, "nowhere}" if lost.endswith("Arn}") else "nowhere"))
    with pytest.raises(MisconfiguredError, match="route=GET /v1/things"):
        read_routes(path)


def test_a_template_without_routes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "template.yaml"
    path.write_text("Resources: {}")
    with pytest.raises(MisconfiguredError, match="no routes"):
        read_routes(path)


def test_python_objects_in_a_template_are_not_built(tmp_path: Path) -> None:
    """An unknown `!!python` tag is an error of YAML: the loader is a safe one."""
    import yaml

    path = tmp_path / "template.yaml"
    path.write_text("Resources: !!python/object/apply:os.getcwd []")
    with pytest.raises(yaml.constructor.ConstructorError):
        read_routes(path)
