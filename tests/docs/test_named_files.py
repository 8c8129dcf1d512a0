"""Every file that a docstring of a module names is there."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "shared" / "everturn"
MODULES = sorted(
    path
    for part in (PACKAGE, ROOT / "functions", ROOT / "bench", ROOT / "tests")
    for path in part.rglob("*.py")
)
# Of a pattern (upkeep/sweep_*.py) at least one file is there.
_NAMED = re.compile(r"(?<![\w./*-])(?:[\w*-]+/)*[\w*-]+\.py\b")


def missing_in(path: Path) -> list[str]:
    """Return what the docstring of a module names in vain: beside it, in the package, anywhere."""
    named = _NAMED.findall(ast.get_docstring(ast.parse(path.read_text())) or "")
    places = (path.parent, PACKAGE, ROOT, ROOT / "tests")
    return [name for name in named if not any(any(place.glob(name)) for place in places)]


def test_what_modules_name_is_there() -> None:
    missing = {str(path.relative_to(ROOT)): missing_in(path) for path in MODULES}
    assert len(missing) > 1_000
    assert {path: names for path, names in missing.items() if names} == {}


def test_a_name_of_nothing_is_found(tmp_path: Path) -> None:
    module = tmp_path / "one.py"
    module.write_text(
        '"""See upkeep/sweep_unconsolidated.py, one.py, sweep_x*.py, values/none.py."""\n'
    )
    assert missing_in(module) == ["sweep_x*.py", "values/none.py"]
