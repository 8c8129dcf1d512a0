"""What is said of the extractor on this machine: which one reads conversations, and why.

A model costs tokens, and only a conversation is worth them.
"""

from everturn.settings.extractors import RULES, missing_setting, named_models
from everturn.settings.process import Settings

_SERVICES = ("gateway", "provider", "bedrock")


def extractor_line(settings: Settings) -> str:
    """Return its name and why it is this one; of models, the order in which they are asked."""
    named, services = settings.extractor, settings.embedder
    models = [model.name for model in named_models(named, services)]
    asked = f"{', then '.join(models)} (not asked now)" if models else RULES
    if named.pinned:
        return f"{asked}: it is asked for by its name"
    if models:
        return f"{asked}: it is the first of those configured"
    lacks = (f"{name}: {missing_setting(name, named, services)} is not set" for name in _SERVICES)
    return f"{asked}: no model is named, {'; '.join(lacks)}"
