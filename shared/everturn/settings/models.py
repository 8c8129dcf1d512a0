"""Which embedding models the environment names, as one frozen value.

A key that some other program left in the environment is never used: user text leaves for what is
named here.

    EVERTURN_GATEWAY_URL          an OpenAI-compatible gateway, without `/embeddings` and the like
    EVERTURN_GATEWAY_KEY          its key, sent as a bearer token
    EVERTURN_GATEWAY_HEADERS      a JSON object of further headers for it, such as for metering
    EVERTURN_PROVIDER_URL         a provider of the same API, asked directly
    EVERTURN_PROVIDER_KEY         its key
    EVERTURN_EMBED_MODEL          the model that gateway and provider are asked for
    EVERTURN_BEDROCK_EMBED_MODEL  a model of Amazon Bedrock
    EVERTURN_MODEL_DIR            where a local model lies; default: everturn/models in the cache
    EVERTURN_EMBEDDER             the only one to use: gateway, provider, bedrock, local or hash
"""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from everturn.errors import MisconfiguredError

# https://www.rfc-editor.org/rfc/rfc9110#section-5.1 and section-5.5, ASCII alone
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"[!-~](?:[ \t!-~]*[!-~])?")
_KEY = re.compile(r"[!-~]+")
# What belongs to the request itself.
_OWN_HEADERS = frozenset(
    {
        "accept-encoding",
        "connection",
        "content-encoding",
        "content-length",
        "content-type",
        "host",
        "transfer-encoding",
    }
)


@dataclass(frozen=True, slots=True)
class ModelService:
    """An address of OpenAI's API, and what each request to it carries."""

    url: str
    key: str = field(default="", repr=False)
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class EmbedderSettings:
    """What is named, by kind; `pinned` is the only one to use, or "".

    `model_dir` is None where a process has no home; `model_dir_named` says that it was asked for.
    """

    gateway: ModelService | None = None
    provider: ModelService | None = None
    model: str = ""
    bedrock_model: str = ""
    model_dir: Path | None = None
    model_dir_named: bool = False
    pinned: str = ""


def read_embedder_settings(environment: Mapping[str, str] = os.environ) -> EmbedderSettings:
    """Read the part of the settings that names embedding models.

    Raises:
        MisconfiguredError: an address, a key or the headers are malformed; the message names the
            variable and never its value.
    """
    return EmbedderSettings(
        gateway=_service(environment, "EVERTURN_GATEWAY"),
        provider=_service(environment, "EVERTURN_PROVIDER"),
        model=environment.get("EVERTURN_EMBED_MODEL", "").strip(),
        bedrock_model=environment.get("EVERTURN_BEDROCK_EMBED_MODEL", "").strip(),
        model_dir=_model_dir(environment),
        model_dir_named=bool(environment.get("EVERTURN_MODEL_DIR")),
        pinned=environment.get("EVERTURN_EMBEDDER", "").strip().lower(),
    )


def _service(environment: Mapping[str, str], name: str) -> ModelService | None:
    # A variable that a deployment sets to "" is not set.
    url = environment.get(f"{name}_URL", "").strip()
    key = environment.get(f"{name}_KEY", "").strip()
    headers = _headers(environment, f"{name}_HEADERS") if name == "EVERTURN_GATEWAY" else ()
    if key and not _KEY.fullmatch(key):
        raise MisconfiguredError(f"a key is printable ascii without blanks variable={name}_KEY")
    if not url:
        return None
    if not _is_address(url):
        raise MisconfiguredError(
            f"an address is http(s)://host/path without credentials, query and fragment"
            f" variable={name}_URL"
        )
    return ModelService(url, key, headers)


def _is_address(url: str) -> bool:
    if not _KEY.fullmatch(url):
        return False
    try:
        parts = urlsplit(url)
        # A port out of range is only noticed when it is asked for.
        whole = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    bare = not (parts.query or parts.fragment or "@" in parts.netloc or url[-1] in "?#")
    return whole and bare and parts.scheme in {"http", "https"}


def _headers(environment: Mapping[str, str], variable: str) -> tuple[tuple[str, str], ...]:
    text = environment.get(variable, "").strip()
    if not text:
        return ()
    try:
        headers = json.loads(text)
    except (ValueError, RecursionError):
        # Without its cause, which shows the text with whatever secret is in it.
        raise MisconfiguredError(f"headers are a json object variable={variable}") from None
    if not isinstance(headers, dict) or not all(map(_is_header, headers, headers.values())):
        raise MisconfiguredError(
            f"headers are a json object of names and printable ascii texts variable={variable}"
        )
    names = [name.lower() for name in headers]
    if len(set(names)) < len(names) or not _OWN_HEADERS.isdisjoint(names):
        raise MisconfiguredError(
            f"a header comes twice or belongs to the request itself variable={variable}"
        )
    return tuple(headers.items())


def _is_header(name: str, value: object) -> bool:
    return (
        isinstance(value, str)
        and _HEADER_NAME.fullmatch(name) is not None
        and _HEADER_VALUE.fullmatch(value) is not None
    )


def _model_dir(environment: Mapping[str, str]) -> Path | None:
    try:
        if named := environment.get("EVERTURN_MODEL_DIR"):
            return Path(named).expanduser()
        # https://specifications.freedesktop.org/basedir-spec/latest/: a relative one is ignored.
        cache = Path(environment.get("XDG_CACHE_HOME") or "")
        if not cache.is_absolute():
            cache = Path("~/.cache").expanduser()
    except RuntimeError as error:
        if environment.get("EVERTURN_MODEL_DIR"):
            raise MisconfiguredError(
                "there is no such home directory variable=EVERTURN_MODEL_DIR"
            ) from error
        return None
    return cache / "everturn" / "models"
