"""The architecture page says what is there: folders, their order, the names in its walks."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from repository import REPOSITORY

PACKAGE = REPOSITORY / "shared" / "everturn"
PAGE = (REPOSITORY / "docs" / "architecture.md").read_text(encoding="utf-8")
MAX_MODULES, MAX_LINES, MAX_FUNCTION_LINES = 24, 400, 40
_NAMED = re.compile(r"`((?:[a-z0-9_]+/)+[a-z0-9_]+)(?:\.([A-Za-z_]+))?`")


def _layers() -> list[list[str]]:
    """Return the folders of the import contract, top first, those of one height together."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    [contract] = [
        contract
        for contract in project["tool"]["importlinter"]["contracts"]
        if contract["type"] == "layers"
    ]
    return [[name.strip() for name in layer.split("|")] for layer in contract["layers"]]


def _lines_of(folder: Path, depth: int) -> Iterator[str]:
    """Yield the lines of a folder and of those in it: name and first line of the docstring."""
    said = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8")))
    assert said, folder
    name = "  " * depth + folder.name + "/"
    yield f"  {name:<16} {said.partition(chr(10))[0]}"
    for child in sorted(folder.glob("*/__init__.py")):
        yield from _lines_of(child.parent, depth + 1)


def tree_of_the_code() -> str:
    """Return the tree as the page shows it."""
    lines: list[str] = []
    for layer in _layers():
        for number, name in enumerate(layer):
            if (PACKAGE / name).is_dir():
                found = list(_lines_of(PACKAGE / name, 0))
                lines += [("= " if number else "  ") + found[0][2:], *found[1:]]
    return "\n".join(lines)


def test_the_tree_is_that_of_the_code() -> None:
    _, _, rest = PAGE.partition("## The tree\n\n```\n")
    assert rest.partition("\n```")[0] == tree_of_the_code()


def test_every_folder_is_in_the_import_contract() -> None:
    folders = {init.parent.name for init in PACKAGE.glob("*/__init__.py")}
    modules = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__"}
    assert {name for layer in _layers() for name in layer} == folders | modules


def test_what_the_page_names_is_there() -> None:
    found = _NAMED.findall(PAGE)
    assert len(found) > 80
    missing = [
        f"{path}.{name}" if name else path for path, name in found if not _is_there(path, name)
    ]
    assert missing == []


def _is_there(path: str, name: str) -> bool:
    """Whether a folder, a module, or a name in a module exists."""
    if any((root / path).is_dir() for root in (PACKAGE, REPOSITORY)):
        return not name
    files = [root / f"{path}.py" for root in (PACKAGE, REPOSITORY)]
    module = next(filter(Path.is_file, files), None)
    if module is None:
        return False
    tree = ast.parse(module.read_text(encoding="utf-8"))
    return name in ("", "py") or name in set(_defined(tree))


def _defined(tree: ast.Module) -> Iterator[str]:
    """Yield the names of classes, functions, constants and type aliases."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (target.id for target in targets if isinstance(target, ast.Name))


def test_a_name_of_nothing_is_found() -> None:
    assert not _is_there("conversations/append_turns", "append_nothing")
    assert not _is_there("conversations/nothing", "")


def test_no_folder_file_or_function_is_too_large() -> None:
    files = sorted(PACKAGE.rglob("*.py"))
    folders = {path.parent for path in files}
    counts = {folder: len(list(folder.glob("*.py"))) for folder in folders}
    assert [folder for folder, count in counts.items() if count > MAX_MODULES] == []
    bodies = {path: path.read_text(encoding="utf-8") for path in files}
    assert [path for path, body in bodies.items() if body.count("\n") > MAX_LINES] == []
    long = [
        f"{path}: {node.name}"
        for path, body in bodies.items()
        for node in ast.walk(ast.parse(body))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and _code_lines(node) > MAX_FUNCTION_LINES
    ]
    assert long == []


def _code_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the lines of a function without its docstring and signature."""
    body = node.body[1:] if ast.get_docstring(node) else node.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0
