"""What `python -X importtime` says, added up by package."""

import re
import sys
from collections import Counter
from collections.abc import Iterable
from typing import Final

# self [us] | cumulative | name: https://docs.python.org/3/using/cmdline.html#cmdoption-X
_LINE: Final = re.compile(r"import time:\s+(\d+) \|\s+\d+ \|\s+(\S+)")
_PACKAGES: Final = {
    "everturn": ("everturn", "app"),
    "botocore": ("botocore", "boto3", "s3transfer", "urllib3", "jmespath", "dateutil", "six"),
    "pydantic": ("pydantic", "pydantic_core", "annotated_types", "typing_inspection"),
    "powertools": ("aws_lambda_powertools",),
    "numpy": ("numpy",),
    "httpx": ("httpx", "httpcore", "anyio", "h11", "idna", "certifi"),
    "runtime": ("awslambdaric", "runtime_client", "simplejson", "snapshot_restore_py"),
}
_NAMES: Final = {module: name for name, modules in _PACKAGES.items() for module in modules}
KINDS: Final = (*_PACKAGES, "python", "others")


def import_ms(lines: Iterable[str]) -> dict[str, float]:
    """Return milliseconds by kind, each module counted without what it imports itself."""
    spent: Counter[str] = Counter()
    for line in lines:
        if found := _LINE.match(line):
            spent[_kind(found[2].partition(".")[0])] += int(found[1])
    return {kind: spent[kind] / 1_000 for kind in KINDS}


def _kind(module: str) -> str:
    if module in _NAMES:
        return _NAMES[module]
    return "python" if module in sys.stdlib_module_names else "others"
