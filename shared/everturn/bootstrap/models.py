"""The models that a process may ask: which adapter each is, and what it is made of.

Each is imported when it is opened.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from everturn.ports.clock import Clock, Entropy
from everturn.settings.models import EmbedderSettings, ModelService

if TYPE_CHECKING:
    from everturn.ports.chat_model import ChatModel
    from everturn.ports.embedder import Embedder
    from everturn.recall.index.choose_embedder import Candidate
    from everturn.settings.extractors import NamedModel


def embedder_candidates(
    named: EmbedderSettings, clock: Clock, entropy: Entropy
) -> "list[Candidate]":
    """Return the embedders that can be, in the order of preference, none of them opened."""
    from everturn.recall.index.choose_embedder import Candidate

    def over_http(name: str, service: ModelService | None) -> Candidate:
        absent = f"EVERTURN_{name.upper()}_URL" if service is None else "EVERTURN_EMBED_MODEL"
        return Candidate(
            name,
            lambda: _open_http(service or ModelService(""), named.model, clock, entropy),
            None if service and named.model else f"{absent} is not set",
        )

    return [
        over_http("gateway", named.gateway),
        over_http("provider", named.provider),
        Candidate(
            "bedrock",
            lambda: _open_bedrock(named.bedrock_model, clock, entropy),
            None if named.bedrock_model else "EVERTURN_BEDROCK_EMBED_MODEL is not set",
        ),
        _local(named),
        Candidate("hash", _open_hash),
    ]


def _local(named: EmbedderSettings) -> "Candidate":
    from everturn.adapters.minilm.model_files import model_folder
    from everturn.recall.index.choose_embedder import Candidate

    directory = named.model_dir or Path()
    # Who names a folder wants the model that is in it; else it is used where there is one.
    used = named.model_dir_named or (named.model_dir and model_folder(directory).is_dir())
    missing = None if used else "no model is installed, everturn model install does it"
    return Candidate("local", lambda: _open_local(directory), missing)


def _open_http(service: ModelService, model: str, clock: Clock, entropy: Entropy) -> "Embedder":
    from everturn.adapters.http.embedder import open_http_embedder

    return open_http_embedder(
        url=service.url,
        key=service.key,
        headers=service.headers,
        model=model,
        clock=clock,
        entropy=entropy,
    )


def _open_bedrock(model: str, clock: Clock, entropy: Entropy) -> "Embedder":
    from everturn.adapters.aws.bedrock_embedder import open_bedrock_embedder

    return open_bedrock_embedder(model=model, clock=clock, entropy=entropy)


def chat_model(named: "NamedModel", clock: Clock, entropy: Entropy) -> "ChatModel":
    """Return a model that reads conversations, not asked yet."""
    if named.address is None:
        from everturn.adapters.aws.bedrock_chat import BedrockChat

        return BedrockChat(named.model, clock=clock, entropy=entropy)
    from everturn.adapters.http.chat import open_http_chat

    return open_http_chat(
        url=named.address.url,
        key=named.address.key,
        headers=named.address.headers,
        service=named.service,
        model=named.model,
        clock=clock,
        entropy=entropy,
    )


def _open_local(directory: Path) -> "Embedder":
    from everturn.adapters.minilm.embedder import open_local_model

    return open_local_model(directory)


def _open_hash() -> "Embedder":
    from everturn.adapters.hash_embedder import HashEmbedder

    return HashEmbedder()
