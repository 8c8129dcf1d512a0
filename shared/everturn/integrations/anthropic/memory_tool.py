"""Claude's memory tool on Everturn: files below `/memories`, for a client and for an async one."""

from typing import Final

from everturn.integrations.extras import extra

with extra("anthropic"):
    from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool
    from anthropic.types.beta import (
        BetaCacheControlEphemeralParam,
        BetaMemoryTool20250818CreateCommand,
        BetaMemoryTool20250818DeleteCommand,
        BetaMemoryTool20250818InsertCommand,
        BetaMemoryTool20250818RenameCommand,
        BetaMemoryTool20250818StrReplaceCommand,
        BetaMemoryTool20250818ViewCommand,
    )

from everturn.client import AsyncEverturn, Everturn
from everturn.client.calls.call import Plan
from everturn.integrations.anthropic import commands
from everturn.integrations.anthropic.files import ROOT, MemoryFiles

_SPACE: Final = "anthropic-memory"


class EverturnMemoryTool(BetaAbstractMemoryTool):
    """A file is a document, written only at the version that was read: no edit is lost.

    What the model is told is what the package's own tool for a local folder tells it. A directory
    is there as long as a file is in it. Whose memory it is is the client's to say; the client stays
    open.
    """

    def __init__(
        self,
        client: Everturn,
        *,
        space: str = _SPACE,
        cache_control: BetaCacheControlEphemeralParam | None = None,
    ) -> None:
        """Keep files in the documents of `space`; agents with one space share their files."""
        super().__init__(cache_control=cache_control)
        self._client = client
        self._files = MemoryFiles(space)

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Show a file, one request, or a directory.

        Raises:
            ToolError: the text is for the model, here and in every other command.
            EverturnError: the memory did not answer.
        """
        plan = commands.view(self._files, command.path, command.view_range)
        return self._done(plan, command.path)

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Write a new file of at most 1 MiB."""
        plan = commands.create(self._files, command.path, command.file_text)
        return self._done(plan, command.path)

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a text that occurs once."""
        old, new = command.old_str, command.new_str
        return self._done(commands.str_replace(self._files, command.path, old, new), command.path)

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert a text behind a line."""
        line, text = command.insert_line, command.insert_text
        return self._done(commands.insert(self._files, command.path, line, text), command.path)

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Remove a file or a directory."""
        return self._done(commands.delete(self._files, command.path), command.path)

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Move a file, or a directory file by file."""
        plan = commands.rename(self._files, command.old_path, command.new_path)
        return self._done(plan, command.new_path)

    def clear_all_memory(self) -> str:
        """Remove every file of the space."""
        return self._done(commands.clear(self._files), ROOT)

    def _done(self, plan: Plan[str], told: str) -> str:
        return self._client.carry_out(commands.told_errors(plan, told))


class AsyncEverturnMemoryTool(BetaAsyncAbstractMemoryTool):
    """As `EverturnMemoryTool`, for an async client: every command is awaited."""

    def __init__(
        self,
        client: AsyncEverturn,
        *,
        space: str = _SPACE,
        cache_control: BetaCacheControlEphemeralParam | None = None,
    ) -> None:
        """As `EverturnMemoryTool`."""
        super().__init__(cache_control=cache_control)
        self._client = client
        self._files = MemoryFiles(space)

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """As `EverturnMemoryTool.view`."""
        plan = commands.view(self._files, command.path, command.view_range)
        return await self._done(plan, command.path)

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """As `EverturnMemoryTool.create`."""
        plan = commands.create(self._files, command.path, command.file_text)
        return await self._done(plan, command.path)

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """As `EverturnMemoryTool.str_replace`."""
        old, new = command.old_str, command.new_str
        plan = commands.str_replace(self._files, command.path, old, new)
        return await self._done(plan, command.path)

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """As `EverturnMemoryTool.insert`."""
        line, text = command.insert_line, command.insert_text
        plan = commands.insert(self._files, command.path, line, text)
        return await self._done(plan, command.path)

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """As `EverturnMemoryTool.delete`."""
        return await self._done(commands.delete(self._files, command.path), command.path)

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """As `EverturnMemoryTool.rename`."""
        plan = commands.rename(self._files, command.old_path, command.new_path)
        return await self._done(plan, command.new_path)

    async def clear_all_memory(self) -> str:
        """As `EverturnMemoryTool.clear_all_memory`."""
        return await self._done(commands.clear(self._files), ROOT)

    async def _done(self, plan: Plan[str], told: str) -> str:
        return await self._client.carry_out(commands.told_errors(plan, told))
