import re
from pathlib import Path

import httpx
import pytest
import typer
from typer.testing import CliRunner

from cli.stores import Run
from everturn.cli.main import app
from everturn.cli.output.errors import CliError
from everturn.cli.target.store_choice import Proof, Target, choose_proof, choose_store
from everturn.client.sigv4 import SigV4

API = "https://abc123.execute-api.eu-west-1.amazonaws.com"
TOKEN = "a.b.c"


@pytest.mark.parametrize(
    ("url", "region", "environment", "chosen"),
    [
        (API, None, {}, Proof("an API in AWS", region="eu-west-1")),
        (f"{API}.cn/", None, {}, Proof("an API in AWS", region="eu-west-1")),
        (API, "us-east-1", {"EVERTURN_TOKEN": "t"}, Proof("--aws-region", region="us-east-1")),
        (API, None, {"EVERTURN_TOKEN": "t"}, Proof("EVERTURN_TOKEN", token="t")),
        (
            "https://memory.example.com",
            None,
            {"EVERTURN_AWS_REGION": "eu-north-1"},
            Proof("EVERTURN_AWS_REGION", region="eu-north-1"),
        ),
        (
            "http://127.0.0.1:8787",
            None,
            {"EVERTURN_TOKEN": " ", "EVERTURN_AWS_REGION": ""},
            Proof("neither EVERTURN_TOKEN nor --aws-region is given"),
        ),
        (
            "https://abc.execute-api.eu-west-1.amazonaws.com.evil.example",
            None,
            {},
            Proof("neither EVERTURN_TOKEN nor --aws-region is given"),
        ),
        ("http://[", None, {}, Proof("neither EVERTURN_TOKEN nor --aws-region is given")),
    ],
)
def test_an_option_goes_before_the_environment_and_that_before_the_address(
    url: str, region: str | None, environment: dict[str, str], chosen: Proof
) -> None:
    assert choose_proof(url, region, environment) == chosen
    assert choose_store(Target(url=url, aws_region=region), environment).proof == chosen


def test_a_region_without_a_server_is_a_usage_error() -> None:
    with pytest.raises(typer.BadParameter, match="goes with --url"):
        choose_store(Target(directory=Path("d"), aws_region="eu-west-1"), {})
    with pytest.raises(typer.BadParameter, match="goes with --url"):
        choose_store(Target(aws_region="eu-west-1"), {})


def test_a_region_signs() -> None:
    auth = Proof("x", region="eu-west-1").auth_for(httpx.URL(API))
    assert isinstance(auth, SigV4)
    assert Proof("x").auth_for(httpx.URL(API)) is None


@pytest.mark.parametrize("url", [API, "http://localhost:1", "http://127.0.0.1:1", "http://[::1]"])
def test_a_token_is_sent(url: str) -> None:
    seen: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.headers["authorization"])
        return httpx.Response(200)

    auth = Proof("x", token=TOKEN).auth_for(httpx.URL(url))
    with httpx.Client(transport=httpx.MockTransport(answer), auth=auth) as client:
        client.get(url)
    assert seen == [f"Bearer {TOKEN}"]


@pytest.mark.parametrize("proof", [Proof("x", token=TOKEN), Proof("x", region="eu-west-1")])
def test_no_proof_is_sent_in_the_open(proof: Proof) -> None:
    """A signature comes with the token of a session, and the words are signed, not hidden."""
    url = "http://memory.example.com"
    with pytest.raises(CliError, match=f"by https only, or on this machine url={re.escape(url)}$"):
        proof.auth_for(httpx.URL(url))


def test_no_token_shows_in_what_is_printed() -> None:
    proof = Proof("EVERTURN_TOKEN", token=TOKEN)
    assert TOKEN not in f"{proof} {proof!r}"


@pytest.mark.parametrize(
    ("proof", "words"),
    [
        (Proof("--aws-region", region="r"), "requests are signed by SigV4 for r (--aws-region)"),
        (Proof("EVERTURN_TOKEN", token=TOKEN), "a token is sent (EVERTURN_TOKEN)"),
        (Proof("why"), "nothing is sent (why)"),
    ],
)
def test_a_proof_is_told_with_its_reason(proof: Proof, words: str) -> None:
    assert str(proof) == words


def test_a_command_says_how_it_proves_who_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVERTURN_TOKEN", TOKEN)
    result = CliRunner().invoke(app, ["list", "-v", "--url", "http://127.0.0.1:9"])
    assert result.exit_code == 1
    assert "proof: a token is sent (EVERTURN_TOKEN)\n" in result.stderr
    assert "nothing answers" in result.stderr


def test_doctor_says_what_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "k")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "s")
    address = ["--url", "http://127.0.0.1:9", "--aws-region", "eu-west-1"]
    result = CliRunner().invoke(app, ["doctor", *address])
    assert "proof      requests are signed by SigV4 for eu-west-1 (--aws-region)\n" in result.stdout
    assert "nothing answers" in result.stderr


def test_a_directory_needs_no_proof(run: Run) -> None:
    assert "proof" not in run("doctor").stdout
