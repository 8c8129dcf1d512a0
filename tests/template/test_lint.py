"""The template passes cfn-lint."""

from cfnlint.api import lint_file  # type: ignore[import-untyped]  # it ships no types

from template.loaded import ROOT


def test_cfn_lint_finds_nothing() -> None:
    assert [str(match) for match in lint_file(ROOT / "template.yaml")] == []
