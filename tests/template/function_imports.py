"""What the functions import of everturn and of other packages, by their source alone."""

import ast
import functools
import sys

import grimp

from template.loaded import ROOT

PACKAGE = "everturn"


def own_modules() -> set[str]:
    """Return every module of the package that a function imports, directly or through others."""
    return {module for module in _closure() if module.partition(".")[0] == PACKAGE}


def foreign_packages() -> set[str]:
    """Return the names of the packages beside it that these modules import, none of Python's."""
    return {*_closure()} - own_modules() - sys.stdlib_module_names


def unused_modules() -> set[str]:
    """Return the modules of the package that no function imports."""
    return {name for name in _graph().modules if name.startswith(PACKAGE)} - own_modules()


@functools.cache
def _graph() -> grimp.ImportGraph:
    return grimp.build_graph(
        PACKAGE, include_external_packages=True, exclude_type_checking_imports=True, cache_dir=None
    )


@functools.cache
def _closure() -> frozenset[str]:
    graph, found = _graph(), set[str]()
    waiting = [name for name in _named_by_functions() if name in graph.modules]
    while waiting:
        module = waiting.pop()
        if module in found:
            continue
        found.add(module)
        waiting += graph.find_modules_directly_imported_by(module)
        # Whoever imports a module runs the packages around it first.
        package = module.rpartition(".")[0]
        waiting += [package] if package else []
    return frozenset(found)


def _named_by_functions() -> set[str]:
    named: set[str] = set()
    for app in ROOT.glob("functions/*/*.py"):
        for node in ast.walk(ast.parse(app.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                named |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                named |= {node.module or ""}
                named |= {f"{node.module}.{alias.name}" for alias in node.names}
    return named
