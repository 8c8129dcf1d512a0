"""What is left of a memory when one of its sources, or one turn of a source, was taken back.

Counts and times follow from the sources that are left; what a pattern says is taken from one of
those as well.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final, NamedTuple

from everturn.memory.model.memory import EarlierSpec, Memory
from everturn.memory.model.pattern_spec import PatternSpec
from everturn.memory.model.source import Mention

# How memories came to be whose words are those of turns.
_MADE: Final = frozenset({"observed", "derived"})


class _Word(NamedTuple):
    """What a pattern was according to a source, once."""

    at_ns: int
    ref: str
    said: str


def without_source(memory: Memory, ref: str) -> Memory | None:
    """Take a source back, with its quotes, its outcome, and what it alone said of a pattern.

    Args:
        memory: what is stored; without this source it is returned as it is.
        ref: which source.

    Returns:
        None where nothing is left: it had no other source, or it is a pattern of which nothing
        that another source said is known.
    """
    outcomes = tuple(one for one in memory.outcomes if one.ref != ref)
    silent = memory if outcomes == memory.outcomes else replace(memory, outcomes=outcomes)
    if ref not in memory.refs:
        return silent
    left = replace(
        silent,
        sources=tuple(one for one in memory.sources if one.ref != ref),
        more=tuple(one for one in memory.more if one.ref != ref),
    )
    return _in_words_of_others(left, memory) if left.count else None


def without_turn(memory: Memory, ref: str, number: int) -> Memory | None:
    """Take back what one turn of a source said, each time that the source said it.

    What it said in that turn alone goes. What it said in more turns goes too where it was made of
    them, for its words may be of this one; what somebody said in words of his own stays without
    its quote, and so does what names no turns. Of one of very many sources no turns are known: it
    stays.

    Args:
        memory: what is stored; where the turn is none of this source's it is returned as it is.
        ref: which source.
        number: which turn of it.

    Returns:
        As `without_source`, which it is where the source said it in no other turn.
    """
    source = next((one for one in memory.sources if one.ref == ref), None)
    if source is None:
        return memory
    is_made = memory.provenance in _MADE
    kept = source.with_mentions(_without_turn(source.mentions, number, is_made=is_made))
    if kept is None:
        return without_source(memory, ref)
    sources = (kept if one is source else one for one in memory.sources)
    left = replace(memory, sources=tuple(sorted(sources, key=lambda one: (one.at_ns, one.ref))))
    words = _in_words_of_others(left, memory)
    return memory if words == memory else words


def _without_turn(mentions: Iterable[Mention], number: int, *, is_made: bool) -> Iterator[Mention]:
    for mention in mentions:
        if mention.first_turn is None or mention.last_turn is None:
            yield mention._replace(quote="")
        elif not mention.first_turn <= number <= mention.last_turn:
            yield mention
        elif mention.first_turn < mention.last_turn and not is_made:
            yield mention._replace(quote="")


def _in_words_of_others(left: Memory, before: Memory) -> Memory | None:
    """Return a pattern as those say it who are left, None where no words of theirs are kept.

    What was taken back gives way to the newest that is left. Earlier words of which it is not known
    who said them may be of what was taken back: they go as well.
    """
    if left.spec is None:
        return left
    words = sorted(_words(left))
    said = {word.said for word in words}
    earlier = [one for one in left.earlier if one.said in said]
    if left.said not in {word.said for word in set(_words(before)) - set(words)}:
        return replace(left, earlier=tuple(earlier))
    return _restored(left, left.spec, words, earlier)


def _restored(
    left: Memory, spec: PatternSpec, words: list[_Word], earlier: list[EarlierSpec]
) -> Memory | None:
    if any(word.said == left.said for word in words):
        earlier = [*earlier, EarlierSpec(spec, left.said, words[-1].at_ns)]
    specs = {one.said: one.spec for one in earlier}
    newest = next((word.said for word in reversed(words) if word.said in specs), None)
    if newest is None:
        return None
    kept = sorted((one for one in earlier if one.said != newest), key=lambda one: one.replaced_ns)
    return replace(left, spec=specs[newest], earlier=tuple(kept))


def _words(memory: Memory) -> Iterator[_Word]:
    for source in memory.sources:
        yield from (_Word(mention.at_ns, source.ref, mention.said) for mention in source.mentions)
    yield from (_Word(one.at_ns, one.ref, one.said) for one in memory.more)
