from pathlib import Path

import pytest

from everturn.errors import MisconfiguredError
from everturn.local.template import read_routes
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
