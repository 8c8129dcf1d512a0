"""The machine of conversations on the stores that need no server."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import settings

from conversations.conversations_machine import ConversationsMachine
from everturn.adapters.directory.store import DirectoryStore
from everturn.adapters.system_clock import ManualClock
from everturn.values.keys import Scope
from scenarios.world import World


class _InMemory(ConversationsMachine):
    def make_world(self) -> World:
        return World(page_keys=2)


class _InDirectory(ConversationsMachine):
    def make_world(self) -> World:
        self.folder = TemporaryDirectory()
        clock = ManualClock()
        store = DirectoryStore(Path(self.folder.name), clock=clock)
        return World(data=store, clock=clock, scope=Scope("local", "local"))

    def teardown(self) -> None:
        super().teardown()
        self.folder.cleanup()


TestInMemory = _InMemory.TestCase
TestInMemory.settings = settings(stateful_step_count=40)

TestInDirectory = _InDirectory.TestCase
# Each write waits for the disk.
TestInDirectory.settings = settings(max_examples=20, stateful_step_count=25)
