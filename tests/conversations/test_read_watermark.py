"""One watermark is read, and one that cannot be read is none with a version."""

from everturn.conversations.model.watermark import Watermark
from everturn.conversations.read_watermark import StoredWatermark, read_watermark
from everturn.values.keys import watermark_key
from scenarios.process import SCOPE
from scenarios.world import World

KEY = watermark_key(SCOPE, "c")


def stored(world: World) -> StoredWatermark:
    return read_watermark(store=world.data, key=KEY, conversation_id="c")


def test_where_no_file_is_nothing_was_read(world: World) -> None:
    assert stored(world) == StoredWatermark(Watermark("c"), None)


def test_a_watermark_is_read_with_its_version(world: World) -> None:
    mark = Watermark("c", 7, read_ns=world.clock.now_ns(), failures=2)
    assert stored(world).etag is None
    etag = world.data.overwrite(KEY, mark.encode())
    assert stored(world) == StoredWatermark(mark, etag)


def test_one_that_cannot_be_read_is_none_and_can_be_replaced(world: World) -> None:
    etag = world.data.overwrite(KEY, b"{")
    assert stored(world) == StoredWatermark(Watermark("c"), etag)
    world.data.put(KEY, Watermark("c", 1).encode(), expect=etag)
    assert stored(world).mark.turns == 1
