"""Imports that need a framework: done late, and the extra is named if they fail."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Say which extra of everturn has the packages that are imported within.

    Raises:
        ModuleNotFoundError: one is not there, or too old to have what is imported.
    """
    try:
        yield
    except ImportError as exc:
        told = f"packages are missing or too old, install everturn[{name}] missing={exc.name}"
        raise ModuleNotFoundError(told, name=exc.name) from exc


def lazy_names(
    package: str, modules: Mapping[str, str]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return a package's `__getattr__` and `__dir__`: a public name's module is imported on use.

    So a package's light modules can be read without its framework (PEP 562).

    Args:
        package: the dotted name of the package.
        modules: the module, below the package, of each public name.
    """

    def get(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name)
        return getattr(import_module(f"{package}.{modules[name]}"), name)

    def names() -> list[str]:
        return sorted(modules)

    return get, names
