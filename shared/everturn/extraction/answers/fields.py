"""The fields of an extraction, under the names that models give them."""

import re
from typing import Final

from everturn.values.go_json import JsonObject, JsonValue

FACTS: Final = "facts"
USER_FACTS: Final = "user_facts"
PATTERNS: Final = "patterns"
OUTCOME: Final = "outcome"
LISTS: Final = (FACTS, USER_FACTS, PATTERNS)

_SINGULARS: Final = {"fact": FACTS, "user_fact": USER_FACTS, "pattern": PATTERNS}
_FIELDS: Final = {name: name for name in (*LISTS, OUTCOME)} | _SINGULARS
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|[\s-]+")
# What tells a JSON Schema: https://json-schema.org/draft/2020-12/json-schema-core
_SCHEMA: Final = frozenset({"properties", "$schema", "$defs"})


def field_of(name: str) -> str:
    """Return the field that a name means, such as `userFacts` and `User facts`; "" for none."""
    return _FIELDS.get(_HUMP.sub("_", name.strip()).lower(), "")


def is_list_field(name: str) -> bool:
    """Say whether a name is that of a list in an extraction, or no name at all."""
    return not name or field_of(name) in LISTS


def is_extraction(value: JsonValue) -> bool:
    """Say whether a value is an object with a field of ours, and no schema of one."""
    return isinstance(value, dict) and not _SCHEMA & value.keys() and any(map(field_of, value))


def fields_of(value: JsonObject) -> JsonObject:
    """Return the fields of an object that are ours, under our names; the first of two counts."""
    found: JsonObject = {}
    for name, held in value.items():
        if (field := field_of(name)) and held is not None:
            found.setdefault(field, held)
    return found
