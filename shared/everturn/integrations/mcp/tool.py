"""What a tool is: its name, its description, its hints, and the one request that it makes."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from mcp_types import Tool, ToolAnnotations
from pydantic import ValidationError

from everturn.client import AsyncEverturn
from everturn.integrations.mcp.answers import Answer
from everturn.integrations.mcp.arguments import Arguments
from everturn.integrations.mcp.results import argument_error
from everturn.integrations.mcp.schemas import schema_of

_Asked = TypeVar("_Asked", bound=Arguments)
_Answered = TypeVar("_Answered", bound=Answer)


@dataclass(frozen=True, slots=True)
class Hints:
    """What calling a tool does to what is stored; all tools keep to the memory of one user."""

    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False

    def annotations(self, title: str) -> ToolAnnotations:
        """Return them as the protocol has them."""
        return ToolAnnotations(
            title=title,
            read_only_hint=self.read_only,
            destructive_hint=self.destructive,
            idempotent_hint=self.idempotent,
            open_world_hint=False,
        )


READS: Final = Hints(read_only=True, idempotent=True)


@dataclass(frozen=True, slots=True)
class MemoryTool(Generic[_Asked, _Answered]):
    """A tool; `run` makes one request."""

    name: str
    title: str
    description: str
    hints: Hints
    asked: type[_Asked]
    answered: type[_Answered]
    run: Callable[[AsyncEverturn, _Asked], Awaitable[_Answered]]

    def listed(self) -> Tool:
        """Return the tool as a client sees it."""
        return Tool(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=schema_of(self.asked),
            output_schema=schema_of(self.answered, mode="serialization"),
            annotations=self.hints.annotations(self.title),
        )

    async def call(self, memory: AsyncEverturn, raw: dict[str, Any]) -> _Answered:
        """Check the arguments and run.

        Raises:
            InvalidRequestError: the arguments are not what `asked` says.
            EverturnError: the request failed.
        """
        try:
            asked = self.asked.model_validate(raw)
        except ValidationError as exc:
            raise argument_error(exc) from exc
        return await self.run(memory, asked)
