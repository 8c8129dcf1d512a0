"""The template as plain data, with the short tags in their long form."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]

Template = dict[str, Any]
"""A template, or a part of one, as YAML holds it."""


class TemplateLoader(yaml.SafeLoader):
    """Reads `!Sub x` as `{"Fn::Sub": "x"}`, and the other tags likewise."""


def _long_form(loader: yaml.SafeLoader, tag: str, node: yaml.Node) -> Template:
    if isinstance(node, yaml.ScalarNode):
        value: Any = loader.construct_scalar(node)
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    else:
        raise TypeError(f"a tag stands on a mapping tag={tag} {node.start_mark}")
    if tag == "GetAtt":
        value = value.split(".")
    return {tag if tag in ("Ref", "Condition") else f"Fn::{tag}": value}


yaml.add_multi_constructor("!", _long_form, Loader=TemplateLoader)


@cache
def loaded() -> Template:
    """The repository's template; treat it as frozen."""
    text = (ROOT / "template.yaml").read_text(encoding="utf-8")
    template: Template = yaml.load(text, Loader=TemplateLoader)  # noqa: S506 - a SafeLoader
    return template


def of_type(template: Template, kind: str) -> dict[str, Template]:
    """Logical id -> properties of every resource of this type; there must be one."""
    found = {
        name: resource["Properties"]
        for name, resource in template["Resources"].items()
        if resource["Type"] == kind
    }
    assert found, f"no resource of type={kind}"
    return found
