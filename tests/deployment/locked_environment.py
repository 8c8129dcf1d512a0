"""A virtual environment of the packages of one lock, kept in pytest's cache between two runs."""

import hashlib
import subprocess
import sys
import venv
from pathlib import Path

import pytest


def locked_environment(lock: Path, config: pytest.Config) -> Path:
    """Return the folder of the environment; it is made anew when lock or Python changed."""
    made_of = f"{sys.version_info[:2]} {sys.prefix}".encode() + lock.read_bytes()
    assert config.cache is not None
    folder = config.cache.mkdir(f"{lock.stem}-{hashlib.sha256(made_of).hexdigest()[:16]}")
    complete = folder / "complete"
    if not complete.exists():
        venv.create(folder, clear=True, with_pip=True)
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet"]
        subprocess.run([*pip, "--disable-pip-version-check", "-r", str(lock)], check=True)
        complete.touch()
    return folder
