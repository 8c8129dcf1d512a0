"""JSON Schemas of what tools take and give, as short as a model's window wants them."""

from typing import Any, Literal

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue
from pydantic_core import core_schema


def schema_of(model: type[BaseModel], *, mode: JsonSchemaMode = "validation") -> dict[str, Any]:
    """Return the schema of a model: what may be left out has no null, and nothing a title."""
    schema = model.model_json_schema(by_alias=True, schema_generator=_Short, mode=mode)
    # The tool has a name and a description of its own.
    return {name: part for name, part in schema.items() if name not in {"title", "description"}}


class _Short(GenerateJsonSchema):
    """Leaves out what a reader of the schema does not need."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        """Describe what is there when it is there."""
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        """Leave out that the default is nothing."""
        if schema.get("default", ...) is None:
            return self.generate_inner(schema["schema"])
        return super().default_schema(schema)

    def field_title_should_be_set(self, _schema: Any) -> Literal[False]:  # noqa: ANN401  # pydantic's own
        """Give no title that repeats the name."""
        return False
