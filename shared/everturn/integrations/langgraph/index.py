"""What of an item is embedded, and how near it is to a query.

They are kept as base64 of little-endian float32: a third of their length as decimals.
"""

import base64
import math
import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from langchain_core.embeddings import Embeddings
from langgraph.store.base import (
    IndexConfig,
    PutOp,
    ensure_embeddings,
    get_text_at_path,
    tokenize_path,
)

_FLOAT_BYTES: Final = 4

Vectors: TypeAlias = Mapping[str, Sequence[float]]
"""By text."""


class ItemIndex:
    """Embeds the fields of items that an `IndexConfig` names, as LangGraph's own stores do."""

    def __init__(self, config: IndexConfig) -> None:
        """Take the configuration: `embed`, and `fields` (the whole item if there are none)."""
        self.embeddings: Embeddings = ensure_embeddings(config.get("embed"))
        self._fields = tuple(config.get("fields") or ["$"])

    def texts(self, op: PutOp) -> dict[str, str]:
        """Return what is embedded of an item, by its path."""
        if op.value is None or op.index is False:
            return {}
        found: dict[str, str] = {}
        for field in self._fields if op.index is None else op.index:
            texts = get_text_at_path(op.value, field if field == "$" else tokenize_path(field))
            several = len(texts) > 1
            for number, text in enumerate(texts):
                found[f"{field}.{number}" if several else field] = text
        return found

    def embed(self, texts: Iterable[str], queries: Iterable[str]) -> tuple[Vectors, Vectors]:
        """Embed texts in one call, and each query; equal ones once."""
        wanted = list(dict.fromkeys(texts))
        made = self.embeddings.embed_documents(wanted) if wanted else []
        asked = dict.fromkeys(queries)
        found = {query: self.embeddings.embed_query(query) for query in asked}
        return dict(zip(wanted, made, strict=True)), found

    async def aembed(self, texts: Iterable[str], queries: Iterable[str]) -> tuple[Vectors, Vectors]:
        """As `embed`, awaited."""
        wanted = list(dict.fromkeys(texts))
        made = await self.embeddings.aembed_documents(wanted) if wanted else []
        asked = dict.fromkeys(queries)
        found = {query: await self.embeddings.aembed_query(query) for query in asked}
        return dict(zip(wanted, made, strict=True)), found


def packed(vector: Sequence[float]) -> str:
    """Return a vector as it is kept."""
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode("ascii")


def unpacked(text: str) -> tuple[float, ...]:
    """Return a vector that was kept."""
    data = base64.b64decode(text)
    return struct.unpack(f"<{len(data) // _FLOAT_BYTES}f", data)


def best_cosine(query: Sequence[float], vectors: Mapping[str, str]) -> float | None:
    """Return the cosine of the nearest vector; None where none is of the query's length."""
    kept = map(unpacked, vectors.values())
    return max((_cosine(query, each) for each in kept if len(each) == len(query)), default=None)


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    product = sum(a * b for a, b in zip(one, other, strict=True))
    lengths = math.hypot(*one) * math.hypot(*other)
    return product / lengths if lengths else 0.0
