"""What is said to who imports an integration without the packages of its extra."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from everturn.integrations.extras import extra

# Each module that a user imports, the extra that it needs and the package that it would miss.
FIRST_MODULES: Final = (
    ("adk_memory", "adk", "google.adk"),
    ("adk_sessions", "adk", "google.adk"),
    ("anthropic_memory", "anthropic", "anthropic"),
    ("claude_sessions", "claude", "claude_agent_sdk"),
    ("langchain", "langchain", "langchain_core"),
    ("langgraph", "langgraph", "langgraph"),
    ("mcp_server", "mcp", "mcp"),
    ("openai_agents", "openai", "agents"),
    ("strands_memory", "strands", "strands"),
    ("strands_repository", "strands", "strands"),
    ("strands_sessions", "strands", "strands"),
)
# A module that is None in sys.modules cannot be imported.
# https://docs.python.org/3/reference/import.html#the-module-cache
PROGRAM: Final = """
import sys
sys.modules[sys.argv[2]] = None
try:
    __import__("everturn.integrations." + sys.argv[1])
except ModuleNotFoundError as error:
    print(error)
"""
IMPORTED: Final = re.compile(r"^from everturn\.integrations\.(\w+) import", re.MULTILINE)


@pytest.mark.parametrize(("module", "name", "package"), FIRST_MODULES)
def test_an_integration_without_its_framework_names_its_extra(
    module: str, name: str, package: str
) -> None:
    said = subprocess.run(
        [sys.executable, "-c", PROGRAM, module, package], capture_output=True, text=True, check=True
    )
    told = f"packages are missing or too old, install everturn[{name}] missing={package}"
    assert said.stdout.startswith(told), said.stderr


def test_every_module_that_a_page_imports_is_tried_here() -> None:
    pages = Path(__file__).parents[2].glob("docs/**/*.md")
    shown = {name for page in pages for name in IMPORTED.findall(page.read_text())}
    assert len(shown) > 7
    assert shown <= {module for module, _, _ in FIRST_MODULES}


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
