"""The functions of template.yaml, and its routes: which method and path goes to which of them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from everturn.errors import MisconfiguredError

# What Lambda gives a function of which nothing is said:
# https://docs.aws.amazon.com/lambda/latest/dg/configuration-timeout.html
_TIMEOUT_S = 3
_REFERENCE = re.compile(r"\$\{([A-Za-z0-9]+)[}.]")


@dataclass(frozen=True, slots=True)
class Function:
    """One AWS::Serverless::Function: its logical id, its folder, its `module.name`."""

    name: str
    code_uri: str
    handler: str
    timeout_s: float = _TIMEOUT_S


@dataclass(frozen=True, slots=True)
class Route:
    """One AWS::ApiGatewayV2::Route: its key as written, and the function it ends in."""

    key: str
    function: Function


# Parsing is most of what a command that answers from a directory costs; libyaml is 8 times as fast,
# and where PyYAML was built without it the slow one does the same.
if TYPE_CHECKING:
    from yaml import SafeLoader as _FastLoader
else:
    _FastLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _TemplateLoader(_FastLoader):
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
    document = _document(template)
    resources: dict[str, Any] = document.get("Resources") or {}
    functions = _functions(document)
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


def read_function(template: Path, name: str) -> Function:
    """Read the function with this logical id.

    Raises:
        MisconfiguredError: the template has none.
    """
    function = _functions(_document(template)).get(name)
    if function is None:
        raise MisconfiguredError(f"the template has no such function function={name}")
    return function


def _document(template: Path) -> dict[str, Any]:
    # The loader is a SafeLoader: it makes plain values only.
    document: dict[str, Any] = yaml.load(template.read_text("utf-8"), Loader=_TemplateLoader)  # noqa: S506
    return document


def _functions(document: dict[str, Any]) -> dict[str, Function]:
    everywhere = (document.get("Globals") or {}).get("Function") or {}
    timeout_s = everywhere.get("Timeout", _TIMEOUT_S)
    return {
        name: Function(
            name,
            properties["CodeUri"],
            properties["Handler"],
            float(properties.get("Timeout", timeout_s)),
        )
        for name, properties in _of_type(
            document.get("Resources") or {}, "AWS::Serverless::Function"
        )
    }


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
