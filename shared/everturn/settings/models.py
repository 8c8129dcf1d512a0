"""The models that the environment names, as frozen values: for embedding and for extraction.

User text is sent only to what is named here. A key that another program left in the environment is
never used.

    EVERTURN_GATEWAY_URL          an OpenAI-compatible gateway, without `/embeddings` and the like
    EVERTURN_GATEWAY_KEY          its key, sent as a bearer token
    EVERTURN_GATEWAY_HEADERS      a JSON object of further headers for it, such as for metering
    EVERTURN_PROVIDER_URL         a provider of the same API, asked directly
    EVERTURN_PROVIDER_KEY         its key
    EVERTURN_EMBED_MODEL          the model that gateway and provider are asked for
    EVERTURN_BEDROCK_EMBED_MODEL  a model of Amazon Bedrock
    EVERTURN_MODEL_DIR            folder of a local model; default: everturn/models in the cache
    EVERTURN_EMBEDDER             the only one to use: gateway, provider, bedrock, local or hash

Chat models read conversations. If none is named, rules read what users state plainly, and no text
leaves.

    EVERTURN_EXTRACT_MODEL                   asked first at the gateway, then at the provider
    EVERTURN_EXTRACT_FALLBACK_MODEL          asked there where the first brings nothing usable
    EVERTURN_BEDROCK_EXTRACT_MODEL           a model of Amazon Bedrock, asked after those
    EVERTURN_BEDROCK_EXTRACT_FALLBACK_MODEL  asked there where that one brings nothing usable
    EVERTURN_EXTRACTOR                       the only one to use: gateway, provider, bedrock, rules
    EVERTURN_DAILY_TOKENS                    tokens a tenant may use in a UTC day; 0: no limit
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
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


RULES: Final = "rules"
_SERVICES: Final = ("gateway", "provider", "bedrock")
_NAME = re.compile(r"[!-~](?:[ !-~]{0,254}[!-~])?")
# More than anybody pays for, and few enough digits to be a number anywhere.
_MOST_DIGITS: Final = 15


@dataclass(frozen=True, slots=True)
class ExtractorSettings:
    """What is named, "" where nothing is; `pinned` is the only one to use, or "".

    `daily_tokens` is how many a tenant may use in a UTC day, 0 for as many as it takes.
    """

    model: str = ""
    fallback_model: str = ""
    bedrock_model: str = ""
    bedrock_fallback_model: str = ""
    pinned: str = ""
    daily_tokens: int = 0


@dataclass(frozen=True, slots=True)
class NamedModel:
    """A model that is to be asked; `address` is None for Bedrock, which the SDK finds."""

    service: str
    model: str
    address: ModelService | None

    @property
    def name(self) -> str:
        """What a person calls it, such as `gateway:small`."""
        return f"{self.service}:{self.model}"


def read_extractor_settings(
    environment: Mapping[str, str] = os.environ, *, services: EmbedderSettings
) -> ExtractorSettings:
    """Read the part of the settings that names chat models.

    Args:
        environment: the variables of a process.
        services: the gateway and the provider that the same environment names.

    Raises:
        MisconfiguredError: a name or a number is malformed, or a model is named and no service that
            could be asked for it; the message names the variable and never its value.
    """
    settings = ExtractorSettings(
        model=_model(environment, "EVERTURN_EXTRACT_MODEL"),
        fallback_model=_model(environment, "EVERTURN_EXTRACT_FALLBACK_MODEL"),
        bedrock_model=_model(environment, "EVERTURN_BEDROCK_EXTRACT_MODEL"),
        bedrock_fallback_model=_model(environment, "EVERTURN_BEDROCK_EXTRACT_FALLBACK_MODEL"),
        pinned=_pinned(environment),
        daily_tokens=_tokens(environment),
    )
    _check_services(settings, services)
    return settings


def named_models(settings: ExtractorSettings, services: EmbedderSettings) -> tuple[NamedModel, ...]:
    """Return the models in the order in which they are asked; none where rules do the work."""
    found = _all_models(settings, services)
    wanted = (one for one in found if settings.pinned in {"", one.service})
    return tuple(dict.fromkeys(wanted))


def missing_setting(service: str, settings: ExtractorSettings, services: EmbedderSettings) -> str:
    """Return the variable that keeps a service from being asked, "" where nothing does."""
    if service == "bedrock":
        is_named = settings.bedrock_model or settings.bedrock_fallback_model
        return "" if is_named else "EVERTURN_BEDROCK_EXTRACT_MODEL"
    if _addresses(services)[service] is None:
        return f"EVERTURN_{service.upper()}_URL"
    return "" if settings.model or settings.fallback_model else "EVERTURN_EXTRACT_MODEL"


def _all_models(settings: ExtractorSettings, services: EmbedderSettings) -> Iterator[NamedModel]:
    for service, address in _addresses(services).items():
        if address is not None:
            for model in filter(None, (settings.model, settings.fallback_model)):
                yield NamedModel(service, model, address)
    for model in filter(None, (settings.bedrock_model, settings.bedrock_fallback_model)):
        yield NamedModel("bedrock", model, None)


def _addresses(services: EmbedderSettings) -> dict[str, ModelService | None]:
    return {"gateway": services.gateway, "provider": services.provider}


def _check_services(settings: ExtractorSettings, services: EmbedderSettings) -> None:
    """Refuse what would let rules stand in for a model that somebody asked for."""
    if settings.pinned == RULES:
        return
    if settings.pinned:
        if missing := missing_setting(settings.pinned, settings, services):
            raise MisconfiguredError(f"the extractor asked for needs another variable={missing}")
        return
    asked = settings.model or settings.fallback_model
    if asked and not any(_addresses(services).values()):
        name = "EVERTURN_EXTRACT_MODEL" if settings.model else "EVERTURN_EXTRACT_FALLBACK_MODEL"
        raise MisconfiguredError(
            "a model is named without a gateway or a provider to ask for it,"
            f" set EVERTURN_GATEWAY_URL or EVERTURN_PROVIDER_URL variable={name}"
        )


def _model(environment: Mapping[str, str], variable: str) -> str:
    # A variable that a deployment sets to "" is not set.
    name = environment.get(variable, "").strip()
    if name and not _NAME.fullmatch(name):
        raise MisconfiguredError(
            f"the name of a model is printable ascii of up to 256 characters variable={variable}"
        )
    return name


def _pinned(environment: Mapping[str, str]) -> str:
    name = environment.get("EVERTURN_EXTRACTOR", "").strip().lower()
    if name not in {"", RULES, *_SERVICES}:
        raise MisconfiguredError(
            f"an extractor is one of {', '.join(_SERVICES)}, {RULES} variable=EVERTURN_EXTRACTOR"
        )
    return name


def _tokens(environment: Mapping[str, str]) -> int:
    text = environment.get("EVERTURN_DAILY_TOKENS", "").strip() or "0"
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
        raise MisconfiguredError("a number of tokens is whole variable=EVERTURN_DAILY_TOKENS")
    return int(text)
