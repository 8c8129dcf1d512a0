from pathlib import Path

import pytest
import typer

from everturn.cli.target.store_choice import Target, choose_local_store, choose_store


@pytest.mark.parametrize(
    ("target", "environment", "address", "why"),
    [
        (Target(url="http://h"), {"EVERTURN_STORE": "/e"}, "http://h", "--url"),
        (Target(directory=Path("/d")), {"EVERTURN_URL": "http://e"}, "/d", "--dir"),
        (Target(store="s3://b/p"), {"EVERTURN_STORE": "/e"}, "s3://b/p", "--store"),
        (
            Target(),
            {"EVERTURN_URL": "http://e", "EVERTURN_STORE": "/e"},
            "http://e",
            "EVERTURN_URL",
        ),
        (
            Target(),
            {"EVERTURN_STORE": "/e", "EVERTURN_MEMORY_ROOT": "/m/r"},
            "/e",
            "EVERTURN_STORE",
        ),
        (Target(), {"EVERTURN_STORE": "s3://e"}, "s3://e", "EVERTURN_STORE"),
        (
            Target(),
            {"EVERTURN_MEMORY_ROOT": "/m/root"},
            "/m/conversations",
            "EVERTURN_MEMORY_ROOT",
        ),
    ],
)
def test_options_go_before_the_environment_and_url_before_store(
    target: Target, environment: dict[str, str], address: str, why: str
) -> None:
    choice = choose_store(target, environment)
    assert (choice.address, choice.why) == (address, why)
    assert str(choice) == f"{address} ({why})"


def test_without_anything_it_is_a_folder_here() -> None:
    choice = choose_store(Target(), {})
    assert choice.directory == Path.cwd() / ".everturn"
    assert choice.log == Path.cwd() / ".everturn" / ".everturn" / "logs" / "everturn.log"


def test_more_than_one_option_is_a_usage_error() -> None:
    with pytest.raises(typer.BadParameter, match="only one"):
        choose_store(Target(url="http://h", store="s3://b"), {})


def test_an_option_takes_the_derived_store_of_the_environment_away() -> None:
    """Else rows of one store would be cached in another."""
    by_option = choose_store(Target(store="s3://b"), {}).settings
    assert by_option == {"EVERTURN_STORE": "s3://b", "EVERTURN_DERIVED_STORE": None}
    by_environment = choose_store(Target(), {"EVERTURN_STORE": "/e"}).settings
    assert "EVERTURN_DERIVED_STORE" not in by_environment


def test_a_directory_has_its_own_queue_and_a_bucket_that_of_the_environment() -> None:
    """A bucket's queue stands nowhere but in the environment."""
    queues = ("EVERTURN_QUEUE_URL", "EVERTURN_DEAD_LETTERS_URL")
    by_option = choose_store(Target(directory=Path("/d")), {}).settings
    assert [by_option[name] for name in ("EVERTURN_DERIVED_STORE", *queues)] == [None] * 3
    assert set(choose_store(Target(store="s3://b"), {}).settings).isdisjoint(queues)


def test_up_serves_no_url() -> None:
    assert choose_local_store(None, {"EVERTURN_URL": "http://h", "EVERTURN_STORE": "/e"}).why == (
        "EVERTURN_STORE"
    )


def test_a_relative_store_of_the_environment_is_made_absolute() -> None:
    choice = choose_store(Target(), {"EVERTURN_STORE": "here"})
    assert choice.settings["EVERTURN_STORE"] == str(Path.cwd() / "here")
