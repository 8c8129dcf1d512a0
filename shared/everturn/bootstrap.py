"""The one place that names concrete adapters and puts a process together.

Not here: the environment (settings.py), what is done with the parts (services).
"""

import functools
from dataclasses import dataclass

from everturn.adapters.system_clock import SystemClock, SystemEntropy
from everturn.ports.clock import Clock, Entropy
from everturn.ports.object_store import ObjectStore
from everturn.services.head_cache import HeadCache
from everturn.services.probe_store import probe_conditions
from everturn.settings import Settings, StoreAddress


@dataclass(frozen=True, slots=True)
class Backends:
    """The parts of a process: `data` is kept for good, `derived` can be rebuilt."""

    data: ObjectStore
    derived: ObjectStore
    heads: HeadCache
    clock: Clock
    entropy: Entropy


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
