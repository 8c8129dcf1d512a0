"""The routes of template.yaml: which method and path goes to which function.

Not here: deploying, parameters, conditions; CloudFormation's `!` tags are read as plain values.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from everturn.errors import MisconfiguredError

_REFERENCE = re.compile(r"\$\{([A-Za-z0-9]+)[}.]")


@dataclass(frozen=True, slots=True)
class Function:
    """One AWS::Serverless::Function: its logical id, its folder, its `module.name`."""

    name: str
    code_uri: str
    handler: str


@dataclass(frozen=True, slots=True)
class Route:
    """One AWS::ApiGatewayV2::Route: its key as written, and the function it ends in."""

    key: str
    function: Function


class _TemplateLoader(yaml.SafeLoader):
    """Reads `!Ref X` as `${X}`, `!GetAtt X.Y` as `${X.Y}`, other tags as what they stand before."""


def _short_form(loader: _TemplateLoader, tag: str, node: yaml.Node) -> Any:  # noqa: ANN401 - YAML
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    text = str(node.value)
    return f"${{{text}}}" if tag in {"Ref", "GetAtt"} else text


_TemplateLoader.add_multi_constructor("!", _short_form)


def read_routes(template: Path) -> tuple[Route, ...]:
    """Read every route of a template, in the order written.

    Raises:
        MisconfiguredError: a route ends in no function of the template, or there is no route.
    """
    # The loader is a SafeLoader: it makes plain values only.
    document = yaml.load(template.read_text("utf-8"), Loader=_TemplateLoader)  # noqa: S506
    resources: dict[str, Any] = document.get("Resources") or {}
    functions = {
        name: Function(name, properties["CodeUri"], properties["Handler"])
        for name, properties in _of_type(resources, "AWS::Serverless::Function")
    }
    integrations = {
        name: _first_reference(properties["IntegrationUri"], set(functions))
        for name, properties in _of_type(resources, "AWS::ApiGatewayV2::Integration")
    }
    routes = tuple(
        Route(properties["RouteKey"], _function_of(properties, integrations, functions))
        for _, properties in _of_type(resources, "AWS::ApiGatewayV2::Route")
    )
    if not routes:
        raise MisconfiguredError(f"the template has no routes template={template}")
    return routes


def _of_type(resources: dict[str, Any], kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, resource in resources.items():
        if resource.get("Type") == kind:
            yield name, resource.get("Properties") or {}


def _function_of(
    properties: dict[str, Any],
    integrations: dict[str, str | None],
    functions: dict[str, Function],
) -> Function:
    integration = _first_reference(properties.get("Target"), set(integrations))
    name = integrations.get(integration) if integration else None
    if name is None:
        key = properties.get("RouteKey")
        raise MisconfiguredError(f"a route of the template ends in no function route={key}")
    return functions[name]


def _first_reference(value: Any, names: set[str]) -> str | None:  # noqa: ANN401 - any YAML value
    """Return the first of `names` that a value refers to, however it is joined together."""
    if isinstance(value, str):
        return next((found for found in _REFERENCE.findall(value) if found in names), None)
    if isinstance(value, dict):
        return _first_reference([f"${{{v}}}" if k == "Ref" else v for k, v in value.items()], names)
    if isinstance(value, list):
        found = (_first_reference(item, names) for item in value)
        return next((name for name in found if name), None)
    return None
