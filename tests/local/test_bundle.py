from pathlib import Path

import pytest

from everturn.errors import MisconfiguredError
from everturn.local.bundle import find_bundle


def _touch(path: Path) -> Path:
    path.parent.mkdir(parents=True)
    path.write_text("")
    return path


def test_a_checkout_is_read_in_place(tmp_path: Path) -> None:
    package = tmp_path / "shared" / "everturn"
    _touch(package / "local" / "bundle" / "template.yaml")
    _touch(tmp_path / "x" / "y").replace(tmp_path / "template.yaml")
    bundle = find_bundle(package)
    assert (bundle.kind, bundle.template) == ("checkout", tmp_path / "template.yaml")


def test_a_wheel_is_read_from_its_bundle(tmp_path: Path) -> None:
    package = tmp_path / "site-packages" / "everturn"
    template = _touch(package / "local" / "bundle" / "template.yaml")
    # A template that happens to lie there is not ours.
    (tmp_path / "template.yaml").write_text("")
    bundle = find_bundle(package)
    assert (bundle.kind, bundle.template) == ("wheel", template)
    assert bundle.openapi == template.parent / "docs" / "openapi.json"
    assert bundle.function("functions/append/", "app.handler") == (
        template.parent / "functions" / "append" / "app.py"
    )


def test_neither_is_an_error_that_names_the_package(tmp_path: Path) -> None:
    with pytest.raises(MisconfiguredError, match=r"package=.*nowhere"):
        find_bundle(tmp_path / "nowhere")
