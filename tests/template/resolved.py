"""The template as CloudFormation would see it for given parameters: conditions decided."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from template.loaded import Template, loaded

_NOTHING = object()


def resolved(**parameters: str) -> Template:
    """Work out every condition and reference.

    Args:
        **parameters: values in place of the defaults.

    Returns:
        The template with `X` for a reference to the resource X, `arn:X` for its ARN, and without
        the resources, list items and keys that the conditions take away.
    """
    template = loaded()
    unknown = parameters.keys() - template["Parameters"].keys()
    assert not unknown, f"no such parameters {unknown}"
    defaults = {name: str(spec["Default"]) for name, spec in template["Parameters"].items()}
    result: Template = _Resolver(template, {**defaults, **parameters}).value(template)
    result["Resources"] = {
        name: _with_globals(resource, result["Globals"])
        for name, resource in result["Resources"].items()
    }
    return result


def _with_globals(resource: Template, settings: Template) -> Template:
    if resource["Type"] != "AWS::Serverless::Function":
        return resource
    own = resource["Properties"]
    merged = {**settings["Function"], **own}
    for name in ("LoggingConfig", "Environment"):
        merged[name] = _merged(settings["Function"].get(name, {}), own.get(name, {}))
    return {**resource, "Properties": merged}


def _merged(settings: Template, own: Template) -> Template:
    """Put a function's own values over the globals, in maps within maps too.

    https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-specification-template-anatomy-globals.html
    """
    both = {
        name: _merged(value, own[name])
        for name, value in settings.items()
        if isinstance(value, dict) and name in own
    }
    return {**settings, **own, **both}


class _Resolver:
    """One template with one set of parameters."""

    def __init__(self, template: Template, parameters: Mapping[str, str]) -> None:
        self._template = template
        self._parameters = parameters
        self._functions: Mapping[str, Callable[[Any], object]] = {
            "Ref": self._ref,
            "Fn::GetAtt": lambda path: _attribute(*path),
            "Fn::Sub": self._sub,
            "Fn::If": self._if,
            "Fn::Equals": lambda pair: self.value(pair[0]) == self.value(pair[1]),
            "Fn::Or": lambda terms: any(map(self.value, terms)),
            "Fn::Not": lambda single: not self.value(single[0]),
            "Fn::Split": lambda pair: str(self.value(pair[1])).split(pair[0]),
        }

    def value(self, node: Any) -> Any:  # noqa: ANN401 - a YAML node is anything
        if isinstance(node, dict):
            return self._mapping(node)
        if isinstance(node, list):
            items = [self.value(item) for item in node]
            return [item for item in items if item is not _NOTHING]
        return node

    def _mapping(self, node: Template) -> object:
        if len(node) == 1:
            [(name, argument)] = node.items()
            if name in self._functions:
                return self._functions[name](argument)
            assert not name.startswith("Fn::"), f"unknown function name={name}"
        values = {key: self.value(item) for key, item in node.items() if self._is_wanted(item)}
        return {key: item for key, item in values.items() if item is not _NOTHING}

    def _is_wanted(self, item: object) -> bool:
        """Whether a resource's own condition holds; policies have mappings there, not names."""
        name = item.get("Condition") if isinstance(item, dict) else None
        return not isinstance(name, str) or self._holds(name)

    def _holds(self, condition: str) -> bool:
        return bool(self.value(self._template["Conditions"][condition]))

    def _if(self, branches: list[Any]) -> object:
        return self.value(branches[1] if self._holds(branches[0]) else branches[2])

    def _ref(self, name: str) -> object:
        if name == "AWS::NoValue":
            return _NOTHING
        if name in self._parameters:
            return self._parameters[name]
        assert name.startswith("AWS::") or name in self._template["Resources"], name
        return name

    def _sub(self, text: str) -> str:
        def replaced(match: re.Match[str]) -> str:
            # A variable of a policy, which IAM fills in.
            if match[1].startswith("!"):
                return f"${{{match[1].removeprefix('!')}}}"
            name, _, attribute = match[1].partition(".")
            return _attribute(name, attribute) if attribute else str(self._ref(name))

        return re.sub(r"\$\{([^}]+)\}", replaced, text)


def _attribute(name: str, attribute: str) -> str:
    return f"arn:{name}" if attribute == "Arn" else f"{name}.{attribute}"
