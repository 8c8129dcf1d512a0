"""The settings of a process as one frozen value, read from the environment once at cold start.

Settings are addresses, names and numbers.

    EVERTURN_STORE          a directory, or s3://bucket/prefix: the store of conversations
    EVERTURN_DERIVED_STORE  the same for what can be rebuilt; default: EVERTURN_STORE
    EVERTURN_MEMORY_ROOT    without EVERTURN_STORE: `conversations` next to it is the store
    EVERTURN_SERVICE_ROLES  ARNs of roles that may name the user in headers, separated by commas
    EVERTURN_VERSION_DAYS   days for which the bucket keeps what was replaced or removed; default: 0
    EVERTURN_IDLE_DAYS      days without a write until the sweep deletes a conversation; 0: never
    EVERTURN_SCOPE_ROLE     ARN of the role that reaches one scope's objects; default: the process's
    EVERTURN_SCOPE_POLICY   ARN of the managed policy that narrows that role down for this process
    EVERTURN_TENANT_CLAIM   the JWT claim that holds the tenant; without it the tenant is `default`
    EVERTURN_IDENTITY       who the agent is: the first lines of every pinned block
    EVERTURN_RULES_FILE     a file with one rule of the operator a line, which pinned blocks hold

The queue of consolidation jobs has settings of its own. Without a URL it is a folder in the store's
directory. A store in S3 then has no queue.

    EVERTURN_QUEUE_URL         the URL of a queue in Amazon SQS
    EVERTURN_DEAD_LETTERS_URL  that of its dead letters; the one requires the other
    EVERTURN_QUEUE_DEPTH       how many jobs may wait; default: 1000 in SQS, 8 in a folder
    EVERTURN_SETTLE_S          seconds that turns may follow before a job begins: 60 in SQS, 2 else
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from everturn.errors import MisconfiguredError
from everturn.settings.models import (
    EmbedderSettings,
    ExtractorSettings,
    read_embedder_settings,
    read_extractor_settings,
)
from everturn.values.visible_text import is_blank

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


_S3 = "s3://"
# https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html#identifiers-arns
_ROLE_ARN = re.compile(r"arn:aws[a-z-]*:iam::(\d{12}):role/(?:[^/]+/)*([\w+=,.@-]+)", re.ASCII)
_POLICY_ARN = re.compile(r"arn:aws[a-z-]*:iam::\d{12}:policy/(?:[^/]+/)*[\w+=,.@-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class StoreAddress:
    """Where objects lie: a bucket and a key prefix (`""` or ending in `/`), or a directory."""

    bucket: str | None
    prefix: str
    directory: Path | None

    def __str__(self) -> str:
        """Return the address as a person writes it."""
        return str(self.directory or f"{_S3}{self.bucket}/{self.prefix}".rstrip("/"))


@dataclass(frozen=True, slots=True)
class Role:
    """An IAM role by account and name: its path does not show in the ARN of a session."""

    account: str
    name: str


@dataclass(frozen=True, slots=True)
class Settings:
    """What a process needs to know to start."""

    store: StoreAddress
    derived: StoreAddress
    service_roles: frozenset[Role] = frozenset()
    tenant_claim: str = ""
    version_days: int = 0
    idle_days: int = 0
    embedder: EmbedderSettings = field(default_factory=EmbedderSettings)
    identity: str = ""
    rules: tuple[str, ...] = ()
    queue: QueueSettings | None = None
    extractor: ExtractorSettings = field(default_factory=ExtractorSettings)
    scope_role: str = ""
    """The ARN of the role that a scope's requests are signed by; "": the process's own."""
    scope_policy: str = ""
    """The ARN of the managed policy that narrows that role down; "": none."""


def parse_address(text: str) -> StoreAddress:
    """Read `s3://bucket/prefix` or a directory.

    Raises:
        MisconfiguredError: an S3 address without a bucket, another scheme, or nobody's home.
    """
    text = text.strip()
    if not text.startswith(_S3):
        return StoreAddress(None, "", _directory(text))
    bucket, _, prefix = text.removeprefix(_S3).partition("/")
    if not bucket:
        raise MisconfiguredError(f"an S3 address names a bucket address={text}")
    prefix = prefix.strip("/")
    return StoreAddress(bucket, f"{prefix}/" if prefix else "", None)


def _directory(text: str) -> Path:
    if not text or "://" in text or text.lower().startswith("s3:"):
        raise MisconfiguredError(f"a store is a directory or s3://bucket/prefix address={text}")
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise MisconfiguredError(f"there is no such home directory address={text}") from error


def _role(arn: str) -> Role:
    match = _ROLE_ARN.fullmatch(arn)
    if match is None:
        raise MisconfiguredError(f"a service role is named by its ARN role={arn}")
    return Role(match[1], match[2])


def _scope_role(environment: Mapping[str, str], *stores: StoreAddress) -> dict[str, str]:
    role = environment.get("EVERTURN_SCOPE_ROLE", "")
    policy = environment.get("EVERTURN_SCOPE_POLICY", "")
    if role and not _ROLE_ARN.fullmatch(role):
        raise MisconfiguredError(f"a role is named by its ARN EVERTURN_SCOPE_ROLE={role}")
    if policy and not (role and _POLICY_ARN.fullmatch(policy)):
        raise MisconfiguredError(
            f"a policy is named by its ARN, beside a role EVERTURN_SCOPE_POLICY={policy}"
        )
    if role and any(store.directory for store in stores):
        raise MisconfiguredError(f"a directory knows no role EVERTURN_SCOPE_ROLE={role}")
    return {"scope_role": role, "scope_policy": policy}


def _days(environment: Mapping[str, str], name: str) -> int:
    text = environment.get(name) or "0"
    if not text.isascii() or not text.isdigit():
        raise MisconfiguredError(f"a number of days is a whole number {name}={text}")
    return int(text)


def _rules(path: str) -> tuple[str, ...]:
    """Read the rules of a file: its lines, but for blank ones and those that begin with `#`."""
    if not path:
        return ()
    try:
        text = Path(path).expanduser().read_text(encoding="utf-8-sig")
    except (OSError, RuntimeError, ValueError) as error:
        raise MisconfiguredError(f"rules cannot be read EVERTURN_RULES_FILE={path}") from error
    lines = [line.strip() for line in text.splitlines()]
    return tuple(line for line in lines if not is_blank(line) and not line.startswith("#"))


def find_store(environment: Mapping[str, str] = os.environ) -> tuple[str, str] | None:
    """Return the address of the store and the variable that gave it, or None where none is set."""
    if address := environment.get("EVERTURN_STORE"):
        return address, "EVERTURN_STORE"
    if root := environment.get("EVERTURN_MEMORY_ROOT"):
        return str(Path(root).parent / "conversations"), "EVERTURN_MEMORY_ROOT"
    return None


def read_settings(environment: Mapping[str, str] = os.environ) -> Settings:
    """Read the settings of this process.

    Raises:
        MisconfiguredError: no store is named, an address, a number or a header is wrong, or the
            file of rules cannot be read.
    """
    found = find_store(environment)
    if found is None:
        raise MisconfiguredError("no store is named, set EVERTURN_STORE")
    roles = environment.get("EVERTURN_SERVICE_ROLES", "").split(",")
    store = parse_address(found[0])
    derived = parse_address(environment.get("EVERTURN_DERIVED_STORE") or found[0])
    embedder = read_embedder_settings(environment)
    return Settings(
        store=store,
        derived=derived,
        service_roles=frozenset(_role(role.strip()) for role in roles if role.strip()),
        **_scope_role(environment, store, derived),
        tenant_claim=environment.get("EVERTURN_TENANT_CLAIM", ""),
        version_days=_days(environment, "EVERTURN_VERSION_DAYS"),
        idle_days=_days(environment, "EVERTURN_IDLE_DAYS"),
        embedder=embedder,
        identity=environment.get("EVERTURN_IDENTITY", "").strip(),
        rules=_rules(environment.get("EVERTURN_RULES_FILE", "")),
        queue=read_queue_settings(environment, directory=store.directory),
        extractor=read_extractor_settings(environment, services=embedder),
    )
