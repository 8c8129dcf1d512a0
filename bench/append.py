"""What an append costs: requests, bytes and CPU at 10, 100, 500 and 1,000 turns, warm and cold.

The baseline is the bare boto3 put of the same bytes, in the same run against the same emulated S3.
"""

from collections.abc import Callable
from statistics import median

from measuring import Row, Traffic, cpu_ms, emulated_store, options, report

from everturn.adapters.aws.s3_store import S3Store
from everturn.adapters.system_clock import SystemClock, SystemEntropy
from everturn.conversations.append_turns import append_turns
from everturn.conversations.head_cache import HeadCache
from everturn.conversations.model.turn import TurnDraft
from everturn.local.emulation.emulated_aws import DATA_BUCKET
from everturn.ports.object_store import StoredObject
from everturn.values.keys import Scope, head_key

SCOPE = Scope("bench", "bench")
TEXT = "The order number is 4711, please look it up and tell me when it leaves the warehouse. " * 3


class Appending:
    """One conversation and the two ways of appending to it."""

    def __init__(self, store: S3Store, turns: int, name: str) -> None:
        self.id = f"{name}-{turns}"
        self.store = store
        self.heads = HeadCache()
        for start in range(0, turns, 100):
            self.append(self.heads, min(100, turns - start))

    def append(self, heads: HeadCache, turns: int = 1) -> None:
        append_turns(
            store=self.store, heads=heads, clock=SystemClock(), entropy=SystemEntropy(),
            scope=SCOPE, conversation_id=self.id, turns=[TurnDraft("user", TEXT)] * turns,
        )  # fmt: skip

    def stored(self) -> StoredObject:
        found = self.store.get(head_key(SCOPE, self.id))
        assert isinstance(found, StoredObject)
        return found


def rows_of(store: S3Store, client: object, traffic: Traffic, turns: int, times: int) -> list[Row]:
    """Measure one length."""
    warm, cold = Appending(store, turns, "warm"), Appending(store, turns, "cold")
    found = warm.stored()

    def bare() -> None:
        client.put_object(  # type: ignore[attr-defined]
            Bucket=DATA_BUCKET, Key=f"bare-{turns}", Body=found.body,
            ContentType="application/json", Metadata=dict(found.meta),
        )  # fmt: skip

    kinds: dict[str, Callable[[], None]] = {
        "bare put": bare,
        "warm append": lambda: warm.append(warm.heads),
        "cold append": lambda: cold.append(HeadCache()),
    }
    # Interleaved, so that a slow moment of the machine hits all three.
    for action in kinds.values():
        action()
    samples: dict[str, list[float]] = {kind: [] for kind in kinds}
    for _ in range(times):
        for kind, action in kinds.items():
            samples[kind].append(cpu_ms(action))
    rows: list[Row] = []
    for kind, action in kinds.items():
        traffic.requests = traffic.sent = traffic.received = 0
        action()
        own_ms, bare_ms = median(samples[kind]), median(samples["bare put"])
        rows.append({
            "kind": kind, "turns": turns, "requests": traffic.requests, "sent B": traffic.sent,
            "received B": traffic.received, "cpu ms": own_ms, "over bare ms": own_ms - bare_ms,
        })  # fmt: skip
    return rows


def main() -> None:
    """Run it."""
    asked = options(__doc__ or "")
    lengths, times = ((10, 100), 5) if asked.quick else ((10, 100, 500, 1_000), 101)
    with emulated_store() as (store, client, traffic):
        rows = [row for n in lengths for row in rows_of(store, client, traffic, n, times)]
    report(f"append, median of {times}", rows, asked.json)


if __name__ == "__main__":
    main()
