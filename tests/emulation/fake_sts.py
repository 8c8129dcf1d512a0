"""An STS that hands out credentials which name the tags that they were asked for with."""

import threading
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from everturn.ports.clock import Clock


class FakeSts:
    """Writes down every request; `step_in` may wait or raise before it is answered."""

    def __init__(self, clock: Clock) -> None:
        self.requests: list[Mapping[str, Any]] = []
        self.step_in: Callable[[], None] = lambda: None
        self._clock = clock
        self._lock = threading.Lock()

    def assume_role(self, **request: Any) -> Mapping[str, Any]:  # noqa: ANN401 - the client's own types
        with self._lock:
            self.requests.append(request)
            number = len(self.requests)
        self.step_in()
        now = datetime.fromtimestamp(self._clock.now_ns() // 10**9, tz=UTC)
        return {
            "Credentials": {
                "AccessKeyId": f"key-{number}",
                "SecretAccessKey": f"secret-{number}",
                "SessionToken": "&".join(f"{t['Key']}={t['Value']}" for t in request["Tags"]),
                "Expiration": now + timedelta(seconds=request["DurationSeconds"]),
            }
        }
