"""What is said to who imports an integration without the packages of its extra."""

import importlib
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from everturn.integrations.extras import extra

# Each name that a user imports, the extra that it needs and the package that it would miss.
FIRST_NAMES: Final = (
    ("adk", "EverturnMemoryService", "adk", "google.adk"),
    ("adk", "EverturnSessionService", "adk", "google.adk"),
    ("anthropic", "AsyncEverturnMemoryTool", "anthropic", "anthropic"),
    ("anthropic", "EverturnMemoryTool", "anthropic", "anthropic"),
    ("claude", "EverturnSessionStore", "claude", "claude_agent_sdk"),
    ("claude", "conversation_of", "claude", "claude_agent_sdk"),
    ("langchain", "EverturnChatMessageHistory", "langchain", "langchain_core"),
    ("langgraph", "EverturnStore", "langgraph", "langgraph"),
    ("mcp", "memory_server", "mcp", "mcp"),
    ("openai_agents", "EverturnSession", "openai", "agents"),
    ("strands", "EverturnMemoryStore", "strands", "strands"),
    ("strands", "EverturnSessionManager", "strands", "strands"),
    ("strands", "EverturnSessionRepository", "strands", "strands"),
)
# A module that is None in sys.modules cannot be imported.
# https://docs.python.org/3/reference/import.html#the-module-cache
PROGRAM: Final = """
import importlib, sys
package, name, missing = sys.argv[1:]
sys.modules[missing] = None
integration = importlib.import_module("everturn.integrations." + package)
try:
    getattr(integration, name)
except ModuleNotFoundError as error:
    print(error)
"""
IMPORTED: Final = re.compile(r"^from everturn\.integrations\.([\w.]+) import (.+)$", re.MULTILINE)


@pytest.mark.parametrize(("package", "name", "extra_name", "missing"), FIRST_NAMES)
def test_an_integration_without_its_framework_names_its_extra(
    package: str, name: str, extra_name: str, missing: str
) -> None:
    said = subprocess.run(
        [sys.executable, "-c", PROGRAM, package, name, missing],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    told = f"packages are missing or too old, install everturn[{extra_name}] missing={missing}"
    assert said.stdout.startswith(told), said.stderr


def test_every_name_that_a_page_imports_is_tried_here() -> None:
    pages = Path(__file__).parents[2].glob("docs/**/*.md")
    shown = {
        (package, name)
        for page in pages
        for package, names in IMPORTED.findall(page.read_text())
        for name in names.split(", ")
    }
    assert len(shown) > 7
    assert shown <= {(package, name) for package, name, _, _ in FIRST_NAMES}


def test_a_package_offers_its_public_names_and_no_others() -> None:
    for package in {package for package, *_ in FIRST_NAMES}:
        module = importlib.import_module(f"everturn.integrations.{package}")
        assert {name for first, name, _, _ in FIRST_NAMES if first == package} <= {*module.__all__}
        assert {*module.__all__} == {*dir(module)}
        for name in module.__all__:
            assert getattr(module, name).__name__ == name
        with pytest.raises(AttributeError, match=f"'everturn.integrations.{package}'.*'Nothing'"):
            module.Nothing  # noqa: B018  # reading it is what is tried


def test_a_framework_that_is_too_old_is_told_too() -> None:
    with (
        pytest.raises(
            ModuleNotFoundError, match=r"too old.*everturn\[openai\] missing=agents$"
        ) as e,
        extra("openai"),
    ):
        raise ImportError("cannot import name 'x' from 'agents'", name="agents")
    assert e.value.name == "agents"


def test_what_an_import_raises_otherwise_is_raised() -> None:
    with pytest.raises(ValueError, match="no"), extra("openai"):
        raise ValueError("no")
