import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.cli.importers.json_stream import read_whole, values_of
from everturn.cli.output.errors import CliError

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text()
    | st.sampled_from(['"', "\\", '\\"', "],"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def _read(body: bytes, chunk_bytes: int = 1_048_576) -> list[object]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "x.json"
        path.write_bytes(body)
        return [value for _, value in values_of(path, chunk_bytes=chunk_bytes)]


@given(
    values=st.lists(VALUES, max_size=6),
    chunk_bytes=st.integers(1, 9),
    indent=st.sampled_from([None, 0, 2]),
    ascii_only=st.booleans(),
)
def test_elements_come_as_they_were_however_a_file_is_cut(
    values: list[object], chunk_bytes: int, indent: int | None, *, ascii_only: bool
) -> None:
    text = json.dumps(values, indent=indent, ensure_ascii=ascii_only)
    body = f" \n{text}\n ".encode("utf-8", "surrogatepass")
    assert _read(body, chunk_bytes) == values
    assert _read(b"\xef\xbb\xbf" + body, chunk_bytes) == values


@given(st.lists(st.dictionaries(st.text(), VALUES, max_size=3), min_size=2, max_size=5))
def test_lines_come_as_they_were(values: list[object]) -> None:
    lines = [json.dumps(value) for value in values]
    assert _read("\n\n".join(lines).encode()) == values


@given(st.dictionaries(st.text(), VALUES, max_size=3), st.sampled_from([None, 2]))
def test_a_document_comes_whole(value: object, indent: int | None) -> None:
    assert _read(json.dumps(value, indent=indent).encode()) == [value]


@given(st.binary(max_size=60), st.integers(1, 5))
def test_any_bytes_are_values_or_refused(body: bytes, chunk_bytes: int) -> None:
    for text in (body, b"[" + body, b"[" + body + b"]"):
        try:
            read = _read(text, chunk_bytes)
        except CliError:
            continue
        assert isinstance(read, list)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", r"no JSON position=\$"),
        (b"{", r"no JSON position=\$"),
        (b"[1, 2", r"the file breaks off position=\$\[1\]"),
        (b'[1, "', r"the file breaks off position=\$\[1\]"),
        (b"[1,]", r"no JSON position=\$\[1\]"),
        (b"[,1]", r"no JSON position=\$\[0\]"),
        (b"[1}]", r"no JSON position=\$\[0\]|breaks off"),
        (b"[1][2]", r"more than one array position=\$\[1\]"),
        (b'{"a":1}\n{', "no JSON line=2"),
        (b"[" * 200_000, "breaks off"),
        (b"[" * 200_000 + b"]" * 200_000, "no JSON"),
    ],
)
def test_a_fault_is_said_with_its_place(body: bytes, said: str) -> None:
    with pytest.raises(CliError, match=said):
        _read(body)


def test_what_stands_before_a_fault_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b'[{"a":1}, nothing]')
    values = values_of(path)
    assert next(values) == ("position=$[0]", {"a": 1})
    with pytest.raises(CliError, match=r"\$\[1\]"):
        next(values)


def test_an_array_is_not_held_in_memory(tmp_path: Path) -> None:
    """The first element is there when a hundredth of the file is read."""
    path = tmp_path / "x.json"
    path.write_text(json.dumps(["x" * 10_000] * 1_000))
    values = values_of(path, chunk_bytes=1_000)
    next(values)
    path.write_bytes(b"")
    with pytest.raises(CliError, match="breaks off"):
        list(values)


@pytest.mark.parametrize(
    "body",
    [
        b'{"a": "%s"}' % (b"x" * 200),
        b'{"a": 1}\n{"a": "%s"}' % (b"x" * 200),
        b'{"a":\n"%s"}' % (b"x\n" * 100),
        b'[1, "%s"]' % (b"x" * 200),
    ],
)
def test_a_value_that_is_too_long_is_not_read(tmp_path: Path, body: bytes) -> None:
    """A sparse file of terabytes would take all memory."""
    path = tmp_path / "x.json"
    path.write_bytes(body)
    with pytest.raises(CliError, match=r"^a value is too long max_bytes=100 "):
        list(values_of(path, chunk_bytes=8, max_bytes=100))


@pytest.mark.parametrize("count", [1, 30])
def test_many_values_together_may_be_longer(tmp_path: Path, count: int) -> None:
    path = tmp_path / "x.json"
    for text in (json.dumps(["y" * 90] * count), "\n".join([json.dumps({"y": "y" * 80})] * count)):
        path.write_text(text)
        assert len(list(values_of(path, chunk_bytes=8, max_bytes=120))) == count


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(CliError, match=r"^a pipe or a device is not read"):
        read_whole(tmp_path / "pipe")


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"123")
    assert read_whole(tmp_path / "x", max_bytes=3) == b"123"
    with pytest.raises(CliError, match=r"^too large to be read in one piece max_bytes=2 file="):
        read_whole(tmp_path / "x", max_bytes=2)


@given(st.integers(0, 12), st.integers(1, 9))
def test_what_follows_an_array_is_never_overlooked(blanks: int, chunk_bytes: int) -> None:
    """However far behind it stands, and however the file is cut."""
    with pytest.raises(CliError, match=r"^more than one array position=\$\[1\]$"):
        _read(b"[1]" + b" " * blanks + b"[2]", chunk_bytes)
