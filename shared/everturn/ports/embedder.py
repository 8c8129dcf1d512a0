"""The door to an embedding model: texts in, vectors out.

One call of `embed` is one request.
"""

from collections.abc import Sequence
from typing import Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Purpose: TypeAlias = Literal["passage", "query"]
"""What a text is embedded for: some models treat what is stored and what is asked differently."""

Vectors: TypeAlias = NDArray[np.float32]
"""float32[n, d]; a row has unit length, so that a dot product is the cosine, or is all zeros."""


class Embedder(Protocol):
    """Turns texts into vectors; knows nothing of turns, memories or ranking."""

    @property
    def model(self) -> str:
        """The name of the model; vectors of two models never meet."""
        ...

    @property
    def dimensions(self) -> int:
        """Length d of every vector of this embedder."""
        ...

    @property
    def semantic(self) -> bool:
        """Whether vectors near each other mean the same; hashed ones only share words."""
        ...

    @property
    def max_batch(self) -> int:
        """How many texts one call may hold."""
        ...

    def embed(self, texts: Sequence[str], *, purpose: Purpose) -> Vectors:
        """Embed texts in the order given.

        Args:
            texts: n texts, at most `max_batch`, none blank; what is too long for the model is cut.
            purpose: what for.

        Returns:
            float32[n, d]; a row of zeros where the model gave no usable vector for that text. For
            n = 0, float32[0, d] without a request.

        Raises:
            UnavailableError: the model did not answer in time; the same call may succeed later.
            MisconfiguredError: it never will: no such model, or no permission.
        """
        ...
