"""Which queue the environment names for jobs of consolidation, as one frozen value.

    EVERTURN_QUEUE_URL         the URL of a queue in Amazon SQS
    EVERTURN_DEAD_LETTERS_URL  that of its dead letters; the one goes with the other
    EVERTURN_QUEUE_DEPTH       how many jobs may wait; default: 1000 in SQS, 8 in a folder
    EVERTURN_SETTLE_S          seconds that turns may follow before a job begins: 60 in SQS, 2 else

Without a URL the queue is a folder of a store that is a directory; a store in S3 has none then.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from everturn.errors import MisconfiguredError

# Below what the directory store keeps for itself, where no key of it lies.
_FOLDER: Final = Path(".everturn") / "queue"
# A backlog on one's own machine is a worker that cannot follow; what is dropped is found again.
_DEPTH: Final = {"sqs": 1_000, "folder": 8}
_MAX_DEPTH: Final = 1_000_000_000
# On one's own machine somebody waits for it; in SQS each job has a price.
_SETTLE_S: Final = {"sqs": 60, "folder": 2}
# https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
_MAX_SETTLE_S: Final = 900
_ADDRESS: Final = re.compile(r"https?://[!-~]+", re.ASCII)
_NUMBER: Final = re.compile(r"[0-9]{1,10}", re.ASCII)


@dataclass(frozen=True, slots=True)
class QueueSettings:
    """A queue in SQS, or one in a folder: then both addresses are ""."""

    depth: int
    """How many jobs may wait."""
    settle_s: int
    """How many seconds a job waits at least, so that turns that follow at once are in it."""
    folder: Path | None = None
    url: str = ""
    dead_letters_url: str = ""

    @property
    def kind(self) -> Literal["sqs", "folder"]:
        """Where the jobs lie."""
        return "folder" if self.folder else "sqs"


def read_queue_settings(
    environment: Mapping[str, str] = os.environ, *, directory: Path | None
) -> QueueSettings | None:
    """Read the part of the settings that names a queue; None where there is none.

    Args:
        environment: variables; one that is set to "" is not set.
        directory: where the store lies, None in S3.

    Raises:
        MisconfiguredError: one address without the other, or a value that is none.
    """
    url = _address(environment, "EVERTURN_QUEUE_URL")
    dead_letters_url = _address(environment, "EVERTURN_DEAD_LETTERS_URL")
    if bool(url) != bool(dead_letters_url):
        raise MisconfiguredError(
            "a queue and its dead letters are named together"
            " variables=EVERTURN_QUEUE_URL,EVERTURN_DEAD_LETTERS_URL"
        )
    folder = directory / _FOLDER if directory and not url else None
    kind = "folder" if folder else "sqs"
    depth = _number(environment, "EVERTURN_QUEUE_DEPTH", _DEPTH[kind], 1, _MAX_DEPTH)
    settle_s = _number(environment, "EVERTURN_SETTLE_S", _SETTLE_S[kind], 0, _MAX_SETTLE_S)
    if not url and not folder:
        return None
    return QueueSettings(depth, settle_s, folder, url, dead_letters_url)


def _address(environment: Mapping[str, str], variable: str) -> str:
    text = environment.get(variable, "").strip()
    if text and not _ADDRESS.fullmatch(text):
        raise MisconfiguredError(f"a queue is named by its url variable={variable}")
    return text


def _number(
    environment: Mapping[str, str], variable: str, default: int, least: int, most: int
) -> int:
    text = environment.get(variable, "").strip()
    if not text:
        return default
    if not _NUMBER.fullmatch(text) or not least <= int(text) <= most:
        raise MisconfiguredError(
            f"a whole number is out of range least={least} most={most} {variable}={text}"
        )
    return int(text)
