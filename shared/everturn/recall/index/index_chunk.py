"""The file of up to 1,024 rows of the side index of a conversation.

It is derived: what cannot be read, or was made by other rules, counts as absent and is made again.

    size of the header (4 bytes) | header, JSON | the columns one after another | checksum (8 bytes)
    header  {"format","model","rows","terms","dimensions","names","sources"}
"""

import hashlib
import json
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from everturn.recall.index.turn_rows import DTYPES, ROW_COLUMNS, TERM_COLUMNS, SegmentSpan, TurnRows
from everturn.recall.language.terms import TERMS_VERSION
from everturn.values.keys import CHUNK_ROWS

_FORMAT: Final = f"1.{TERMS_VERSION}"
_SUM_BYTES: Final = 8
_SIZE_BYTES: Final = 4


def encode_chunk(rows: TurnRows, model: str) -> bytes:
    """Return the file of rows whose vectors are of a model."""
    header = {
        "format": _FORMAT,
        "model": model,
        "rows": len(rows),
        "terms": len(rows.terms),
        "dimensions": rows.dimensions,
        "names": rows.names,
        "sources": rows.sources,
    }
    front = json.dumps(header, separators=(",", ":")).encode()
    columns = [_little(name, rows) for name in (*ROW_COLUMNS, *TERM_COLUMNS)]
    body = b"".join([len(front).to_bytes(_SIZE_BYTES, "little"), front, *columns])
    return body + _checksum(body)


def decode_chunk(body: bytes, *, model: str, dimensions: int) -> TurnRows | None:
    """Read a file; None where it is none of this model and these rules, or is damaged."""
    rest, check = body[:-_SUM_BYTES], body[-_SUM_BYTES:]
    if _checksum(rest) != check:
        return None
    try:
        return _decoded(rest, model, dimensions)
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        return None


def _decoded(body: bytes, model: str, dimensions: int) -> TurnRows | None:
    start = _SIZE_BYTES + int.from_bytes(body[:_SIZE_BYTES], "little")
    header = json.loads(body[_SIZE_BYTES:start])
    made_by = header["format"], header["model"], header["dimensions"]
    if made_by != (_FORMAT, model, dimensions):
        return None
    columns = {}
    for name in (*ROW_COLUMNS, *TERM_COLUMNS):
        count = header["terms" if name in TERM_COLUMNS else "rows"]
        width = dimensions if name == "vectors" else 1
        dtype = np.dtype(DTYPES[name]).newbyteorder("<")
        columns[name] = np.frombuffer(body, dtype, count * width, start)
        start += count * width * dtype.itemsize
    columns["vectors"] = columns["vectors"].reshape(header["rows"], dimensions)
    sources = tuple(SegmentSpan(*source) for source in header["sources"])
    rows = TurnRows(names=tuple(header["names"]), sources=sources, **columns)
    return rows if start == len(body) and _is_sound(rows) else None


def _is_sound(rows: TurnRows) -> bool:
    """Say whether the columns fit one another: a checksum tells of damage, not of a mistake."""
    pointed = max(rows.roles.max(initial=0), rows.speakers.max(initial=0))
    return (
        all(isinstance(name, str) for name in rows.names)
        and all(tuple(map(type, source)) == (int, int, str) for source in rows.sources)
        and bool(np.isfinite(rows.scales).all())
        and len(rows) <= CHUNK_ROWS
        and int(pointed) < len(rows.names)
        and int(rows.widths.sum()) == len(rows.terms)
    )


def _little(name: str, rows: TurnRows) -> bytes:
    column: NDArray[Any] = getattr(rows, name)
    return column.astype(np.dtype(DTYPES[name]).newbyteorder("<")).tobytes()


def _checksum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_SUM_BYTES).digest()
