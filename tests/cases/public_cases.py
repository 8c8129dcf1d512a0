"""The kit of the public failure cases, which is no part of the project and may be missing."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType


def casekit(folder: Path) -> ModuleType:
    """Return the kit's own loader and checkers."""
    spec = spec_from_file_location("casekit", folder / "casekit.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
