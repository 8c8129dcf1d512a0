"""The layer, built as a user builds it but for the Python and the machine of the tests.

Build it once: it takes half a minute.
"""

import platform
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

SHARED: Final = Path(__file__).parents[2] / "shared"
# Python's names of machines -> Lambda's.
_ARCHITECTURES: Final = {"x86_64": "x86_64", "aarch64": "arm64", "arm64": "arm64"}


@pytest.fixture(scope="session")
def layer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that becomes /opt in Lambda."""
    return build_layer(tmp_path_factory.mktemp("layer"))


def build_layer(folder: Path) -> Path:
    """Fill a folder with the layer, for the running Python; return it."""
    settings = {
        "ARTIFACTS_DIR": folder,
        "ARCHITECTURE": _ARCHITECTURES[platform.machine()],
        "TARGET_PYTHON": f"{sys.version_info.major}.{sys.version_info.minor}",
        "PYTHON": sys.executable,
    }
    given = [f"{name}={value}" for name, value in settings.items()]
    made = subprocess.run(
        ["make", "-C", str(SHARED), "build-Layer", *given],
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr[-2_000:]
    return folder
