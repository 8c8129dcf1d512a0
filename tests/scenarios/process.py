"""One process of Everturn in a test: services over a store, with its own cache of heads."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from everturn.conversations.append_turns import AppendOutcome, append_turns
from everturn.conversations.create_conversation import (
    CreateOutcome,
    create_conversation,
    patch_conversation,
)
from everturn.conversations.head_cache import HeadCache
from everturn.conversations.model.patch import Patch
from everturn.conversations.model.summary import Summary
from everturn.conversations.model.turn import TurnDraft
from everturn.conversations.read_conversation import TurnPage, read_turns
from everturn.deletion.delete_conversation import Receipt, delete_conversation
from everturn.deletion.pop_turn import PopOutcome, pop_turn
from everturn.deletion.redact_turn import RedactOutcome, redact_turn
from everturn.listing.list_conversations import ConversationPage, Filters, list_conversations
from everturn.ports.clock import Clock, Entropy
from everturn.ports.object_store import ObjectStore
from everturn.storage.budget import Budget
from everturn.upkeep.sweep import SweepOutcome, sweep
from everturn.values.go_json import JsonObject
from everturn.values.keys import Scope

SCOPE = Scope("acme", "ann")
CONVERSATION = "thread-1"
EVERYTHING = Filters()


@dataclass
class Process:
    """The services with one conversation and one scope as their defaults."""

    store: ObjectStore
    clock: Clock
    entropy: Entropy
    derived: ObjectStore
    heads: HeadCache = field(default_factory=HeadCache)
    scope: Scope = SCOPE

    def append(
        self,
        *texts: str,
        to: str = CONVERSATION,
        key: str | None = None,
        ts: str | None = None,
        expected: int | None = None,
        must_exist: bool = False,
    ) -> AppendOutcome:
        """Append one user turn per text."""
        drafts = [TurnDraft("user", text, ts=ts) for text in texts]
        return self.append_drafts(drafts, to=to, key=key, expected=expected, must_exist=must_exist)

    def append_drafts(
        self,
        drafts: Sequence[TurnDraft],
        *,
        to: str = CONVERSATION,
        key: str | None = None,
        expected: int | None = None,
        must_exist: bool = False,
    ) -> AppendOutcome:
        """Append turns as they are."""
        return append_turns(
            store=self.store,
            heads=self.heads,
            clock=self.clock,
            entropy=self.entropy,
            scope=self.scope,
            conversation_id=to,
            turns=drafts,
            key=key,
            expected=expected,
            must_exist=must_exist,
        )

    def create(
        self,
        conversation_id: str | None = CONVERSATION,
        *,
        title: str | None = None,
        folder: str | None = None,
        metadata: JsonObject | None = None,
    ) -> CreateOutcome:
        """Create a conversation."""
        return create_conversation(
            store=self.store,
            heads=self.heads,
            clock=self.clock,
            entropy=self.entropy,
            scope=self.scope,
            conversation_id=conversation_id,
            title=title,
            folder=folder,
            metadata=metadata,
        )

    def patch(self, patch: Patch, conversation_id: str = CONVERSATION) -> Summary:
        """Patch a conversation."""
        return patch_conversation(
            store=self.store,
            heads=self.heads,
            clock=self.clock,
            entropy=self.entropy,
            scope=self.scope,
            conversation_id=conversation_id,
            patch=patch,
        )

    def delete(self, conversation_id: str = CONVERSATION) -> Receipt:
        """Delete a conversation."""
        return delete_conversation(
            store=self.store,
            derived=self.derived,
            heads=self.heads,
            clock=self.clock,
            entropy=self.entropy,
            scope=self.scope,
            conversation_id=conversation_id,
        )

    def redact(
        self, number: int, *, text: str = "", conversation_id: str = CONVERSATION
    ) -> RedactOutcome:
        """Redact a turn."""
        return redact_turn(
            store=self.store,
            derived=self.derived,
            heads=self.heads,
            clock=self.clock,
            entropy=self.entropy,
            scope=self.scope,
            conversation_id=conversation_id,
            number=number,
            text=text,
        )

    def pop(self, *, expected: int, conversation_id: str = CONVERSATION) -> PopOutcome:
        """Take back the newest turn."""
        return pop_turn(
            store=self.store,
            derived=self.derived,
            heads=self.heads,
            clock=self.clock,
            entropy=self.entropy,
            scope=self.scope,
            conversation_id=conversation_id,
            expected=expected,
        )

    def list_page(
        self, *, limit: int | None = None, cursor: str | None = None, filters: Filters = EVERYTHING
    ) -> ConversationPage:
        """List a page of conversations."""
        return list_conversations(
            data=self.store,
            derived=self.derived,
            clock=self.clock,
            scope=self.scope,
            limit=limit,
            cursor=cursor,
            filters=filters,
        )

    def walk(self, *, limit: int, filters: Filters = EVERYTHING) -> list[Summary]:
        """List page after page until there is no cursor."""
        page = self.list_page(limit=limit, filters=filters)
        rows = list(page.rows)
        while page.next_cursor is not None:
            page = self.list_page(limit=limit, cursor=page.next_cursor, filters=filters)
            rows.extend(page.rows)
        return rows

    def read(self, conversation_id: str = CONVERSATION, *, last: int | None = 1_000) -> TurnPage:
        """Read the newest turns."""
        return read_turns(
            store=self.store, scope=self.scope, conversation_id=conversation_id, last=last
        )

    def page(self, first: int, *, limit: int = 50, conversation_id: str = CONVERSATION) -> TurnPage:
        """Read turns from a number on."""
        return read_turns(
            store=self.store,
            scope=self.scope,
            conversation_id=conversation_id,
            first=first,
            limit=limit,
        )

    def sweep(self) -> SweepOutcome:
        """Sweep the whole store."""
        return sweep(
            data=self.store,
            derived=self.derived,
            clock=self.clock,
            entropy=self.entropy,
            budget=Budget(clock=self.clock, seconds=600),
        )
