"""The answer that says what a deployment works with.

Not here: names of buckets, addresses, keys: whoever may ask is a user, not an operator.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from everturn.domain.go_json import JsonObject
from everturn.edge.answers import Answer, answer
from everturn.settings import StoreAddress

if TYPE_CHECKING:
    from everturn.services.choose_embedder import EmbedderChoice


def status_told(stores: Mapping[str, StoreAddress], embedder: "EmbedderChoice") -> Answer:
    """Answer with the kind of each store, and the embedder in use with what others lacked."""
    kinds: JsonObject = {name: _kind(address) for name, address in stores.items()}
    return answer({"backends": {**kinds, "embedder": _embedder_json(embedder)}})


def _kind(address: StoreAddress) -> str:
    return "s3" if address.directory is None else "directory"


def _embedder_json(choice: "EmbedderChoice") -> JsonObject:
    return {
        "name": choice.name,
        "model": choice.embedder.model,
        "dimensions": choice.embedder.dimensions,
        "semantic": choice.embedder.semantic,
        "reason": choice.reason,
        "tried": [{"name": tried.name, "reason": tried.reason} for tried in choice.tried],
    }
