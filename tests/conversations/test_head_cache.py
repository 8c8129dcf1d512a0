from everturn.conversations.head_cache import Base, HeadCache
from everturn.conversations.model.head import Head
from everturn.conversations.model.write_ring import WriteRing
from everturn.ports.object_store import Etag

KIB = 1_024


def _base(turns_bytes: int = 0, etag: str = "e") -> Base:
    return Base(Head("c", turns_json=b"x" * turns_bytes), WriteRing(), Etag(etag))


def test_an_unknown_key_is_none() -> None:
    assert HeadCache().get("k") is None


def test_the_head_last_kept_is_given_back() -> None:
    heads = HeadCache()
    heads.keep("k", _base(etag="old"))
    heads.keep("k", _base(etag="new"))

    assert heads.get("k") == _base(etag="new")


def test_a_dropped_key_is_none_and_can_be_dropped_again() -> None:
    heads = HeadCache()
    heads.keep("k", _base())
    heads.drop("k")
    heads.drop("k")

    assert heads.get("k") is None


def test_the_least_recently_used_head_goes_first() -> None:
    heads = HeadCache(max_bytes=350 * KIB)
    for key in ("a", "b", "c"):
        heads.keep(key, _base(100 * KIB))
    assert heads.get("a") is not None

    heads.keep("d", _base(100 * KIB))

    assert heads.get("b") is None
    assert all(heads.get(key) is not None for key in ("a", "c", "d"))


def test_a_head_above_the_bound_is_not_kept() -> None:
    heads = HeadCache(max_bytes=100 * KIB)
    heads.keep("small", _base(10))
    heads.keep("large", _base(200 * KIB))

    assert heads.get("large") is None


def test_replacing_a_head_counts_it_once() -> None:
    heads = HeadCache(max_bytes=250 * KIB)
    heads.keep("other", _base(100 * KIB))
    for _ in range(50):
        heads.keep("k", _base(100 * KIB))

    assert heads.get("other") is not None


def test_heads_without_turns_are_bounded_too() -> None:
    """A process that creates conversations for a year does not grow by them."""
    heads = HeadCache(max_bytes=1_024 * KIB)
    for number in range(10_000):
        heads.keep(str(number), _base())

    assert heads.get("0") is None
    assert heads.get("9999") is not None
    assert sum(heads.get(str(number)) is not None for number in range(10_000)) <= 1_024
