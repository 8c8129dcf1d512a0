"""A head that another program wrote, joined again to the segments that it knows nothing of."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from everturn.conversations.model.chain import Chain, find_chain
from everturn.conversations.model.encoded_turns import join_run, split_run
from everturn.conversations.model.head import Record, readable
from everturn.conversations.model.meeting import accounts_for
from everturn.conversations.model.sealing import follower_of
from everturn.conversations.model.segment_refs import Sealed, SegmentRef
from everturn.conversations.model.summary import title_of
from everturn.conversations.model.turn_identity import said_turns
from everturn.values.go_json import JsonValue


@dataclass(frozen=True, slots=True)
class Rejoined:
    """The record as it is read now."""

    record: Record
    is_all: bool = True
    """Whether it holds all that the segments do; where not, nobody knows where that belongs."""


def rejoin(record: Record, segments: Mapping[str, Record]) -> Rejoined:
    """Return the record with what is sealed; as it is where it is whole, or meets no segment.

    Turns that the segments hold already are left out of the head. Others that were sealed since it
    was read come before those that the other program added: they had their numbers first. Then the
    last segment's turns stand in the head once more, to be sealed anew before what follows now.

    Args:
        record: as the other program wrote it.
        segments: all that lie in the conversation's folder, by name.
    """
    tail = said_turns(record.values)
    chain = find_chain(tail, segments)
    if chain is not None:
        return Rejoined(_joined(record, chain, segments))
    refs = [SegmentRef(name, 0) for name in segments]
    is_all = all(
        accounts_for(said_turns(segments[ref.name].values), tail[ref.first : ref.last + 1])
        for ref in refs
    )
    return Rejoined(record, is_all)


def _joined(record: Record, chain: Chain, segments: Mapping[str, Record]) -> Record:
    newest, refs, head, values = (
        segments[chain.refs[-1].name],
        chain.refs,
        record.head,
        record.values,
    )
    if chain.held:
        turns = split_run(head.turns_json)[chain.held :]
        if not turns or not _is_followed(newest, turns[0].value):
            # What it says of the turn that follows holds no longer, so it would not be found again.
            # And a list shows the newest turn from the head alone.
            turns, refs = [*split_run(newest.head.turns_json), *turns], refs[:-1]
        head = replace(head, turns_json=join_run(turns))
        values = tuple(turn.value for turn in turns)
    sealed = Sealed(refs, _title(refs, segments)) if refs else None
    count = (sealed.turns if sealed else 0) + len(values)
    return Record(replace(head, sealed=sealed, turn_count=count), values)


def _is_followed(segment: Record, value: JsonValue) -> bool:
    [turn], follower = said_turns([value]), follower_of(segment)
    return follower.is_at(turn) and not follower.is_other(turn)


def _title(refs: Iterable[SegmentRef], segments: Mapping[str, Record]) -> str:
    titles = (title_of(readable(ref.first, segments[ref.name].values)) for ref in refs)
    return next((title for title in titles if title), "")
