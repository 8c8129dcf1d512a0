"""Which chat models the environment names for reading conversations, as one frozen value.

Without any of these, rules read what users state plainly, and no text leaves.

    EVERTURN_EXTRACT_MODEL                   asked first at the gateway, then at the provider
    EVERTURN_EXTRACT_FALLBACK_MODEL          asked there where the first brings nothing usable
    EVERTURN_BEDROCK_EXTRACT_MODEL           a model of Amazon Bedrock, asked after those
    EVERTURN_BEDROCK_EXTRACT_FALLBACK_MODEL  asked there where that one brings nothing usable
    EVERTURN_EXTRACTOR                       the only one to use: gateway, provider, bedrock, rules
    EVERTURN_DAILY_TOKENS                    tokens a tenant may use in a UTC day; 0: no end
"""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from everturn.errors import MisconfiguredError
from everturn.settings.models import EmbedderSettings, ModelService

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
