"""The environment as one frozen value."""

from pathlib import Path

import pytest

from everturn.errors import MisconfiguredError
from everturn.settings.process import Role, find_store, parse_address, read_settings


@pytest.mark.parametrize(
    ("text", "bucket", "prefix", "directory"),
    [
        ("s3://b", "b", "", None),
        ("s3://b/", "b", "", None),
        ("s3://b/x/y/", "b", "x/y/", None),
        ("some/where", None, "", Path("some/where")),
    ],
)
def test_an_address_is_a_bucket_with_a_prefix_or_a_directory(
    text: str, bucket: str | None, prefix: str, directory: Path | None
) -> None:
    address = parse_address(text)
    assert (address.bucket, address.prefix, address.directory) == (bucket, prefix, directory)


def test_an_s3_address_without_a_bucket_is_refused() -> None:
    with pytest.raises(MisconfiguredError):
        parse_address("s3:///x")


def test_a_process_without_a_store_does_not_start() -> None:
    with pytest.raises(MisconfiguredError):
        read_settings({})


def test_the_store_wins_over_the_memory_root() -> None:
    both = {"EVERTURN_STORE": "s3://b", "EVERTURN_MEMORY_ROOT": "/m/root"}
    assert find_store(both) == ("s3://b", "EVERTURN_STORE")


def test_without_a_store_conversations_lie_beside_the_memory_root() -> None:
    assert find_store({"EVERTURN_MEMORY_ROOT": "m/root"}) == (
        str(Path("m/conversations")),
        "EVERTURN_MEMORY_ROOT",
    )


def test_derived_data_lies_with_the_rest_unless_told_otherwise() -> None:
    assert read_settings({"EVERTURN_STORE": "d"}).derived == parse_address("d")
    named = {"EVERTURN_STORE": "d", "EVERTURN_DERIVED_STORE": "s3://e"}
    assert read_settings(named).derived == parse_address("s3://e")


@pytest.mark.parametrize("role", ["myrole", "arn:aws:iam::1:role/x", "arn:aws:iam::1:user/x"])
def test_a_service_role_that_is_no_role_stops_the_start(role: str) -> None:
    with pytest.raises(MisconfiguredError, match="service role"):
        read_settings({"EVERTURN_STORE": "d", "EVERTURN_SERVICE_ROLES": role})


def test_service_roles_are_known_without_their_paths() -> None:
    arns = "arn:aws:iam::111122223333:role/a/b/Front, arn:aws-cn:iam::111122223333:role/Back"
    settings = read_settings({"EVERTURN_STORE": "d", "EVERTURN_SERVICE_ROLES": arns})
    assert settings.service_roles == {
        Role("111122223333", "Front"),
        Role("111122223333", "Back"),
    }


SCOPE_ROLE = "arn:aws:iam::111122223333:role/path/stack-ScopeRole-1A2B"
SCOPE_POLICY = "arn:aws:iam::111122223333:policy/stack-AppendObjects-1A2B"


def test_a_role_of_scopes_is_named_by_its_arn_and_so_is_its_policy() -> None:
    for unset in ({}, {"EVERTURN_SCOPE_ROLE": "", "EVERTURN_SCOPE_POLICY": ""}):
        settings = read_settings({"EVERTURN_STORE": "s3://b", **unset})
        assert (settings.scope_role, settings.scope_policy) == ("", "")
    named = {"EVERTURN_SCOPE_ROLE": SCOPE_ROLE, "EVERTURN_SCOPE_POLICY": SCOPE_POLICY}
    settings = read_settings({"EVERTURN_STORE": "s3://b", **named})
    assert (settings.scope_role, settings.scope_policy) == (SCOPE_ROLE, SCOPE_POLICY)


@pytest.mark.parametrize(
    ("role", "policy", "message"),
    [
        ("ScopeRole", "", "EVERTURN_SCOPE_ROLE=ScopeRole"),
        (SCOPE_POLICY, "", "EVERTURN_SCOPE_ROLE"),
        (SCOPE_ROLE, SCOPE_ROLE, "EVERTURN_SCOPE_POLICY"),
        ("", SCOPE_POLICY, "EVERTURN_SCOPE_POLICY"),
    ],
)
def test_a_role_of_scopes_that_is_none_stops_the_start(
    role: str, policy: str, message: str
) -> None:
    """Else requests would be signed by whoever runs the process."""
    named = {"EVERTURN_SCOPE_ROLE": role, "EVERTURN_SCOPE_POLICY": policy}
    with pytest.raises(MisconfiguredError, match=message):
        read_settings({"EVERTURN_STORE": "s3://b", **named})


@pytest.mark.parametrize(("store", "derived"), [("d", "s3://b"), ("s3://b", "d")])
def test_a_directory_has_no_role_of_scopes(store: str, derived: str) -> None:
    named = {"EVERTURN_STORE": store, "EVERTURN_DERIVED_STORE": derived}
    with pytest.raises(MisconfiguredError, match="a directory knows no role"):
        read_settings({**named, "EVERTURN_SCOPE_ROLE": SCOPE_ROLE})


@pytest.mark.parametrize("text", ["", "   ", "S3://b", "file:///x", "~nosuchuser/x"])
def test_an_address_of_another_kind_is_refused(text: str) -> None:
    with pytest.raises(MisconfiguredError):
        parse_address(text)


@pytest.mark.parametrize("name", ["EVERTURN_VERSION_DAYS", "EVERTURN_IDLE_DAYS"])
def test_days_are_a_whole_number_and_none_unless_told(name: str) -> None:
    field = name.removeprefix("EVERTURN_").lower()
    for text, days in (("", 0), ("0", 0), ("30", 30)):
        assert getattr(read_settings({"EVERTURN_STORE": "d", name: text}), field) == days
    for text in ("-1", "1.5", "x", "\u0663"):
        with pytest.raises(MisconfiguredError, match=name):
            read_settings({"EVERTURN_STORE": "d", name: text})


def test_the_identity_of_the_agent_is_a_text() -> None:
    assert read_settings({"EVERTURN_STORE": "d"}).identity == ""
    named = {"EVERTURN_STORE": "d", "EVERTURN_IDENTITY": " You are Ada.\nYou book trips. \n"}
    assert read_settings(named).identity == "You are Ada.\nYou book trips."


def test_rules_are_the_lines_of_a_file_without_blank_ones_and_remarks(tmp_path: Path) -> None:
    file = tmp_path / "rules.txt"
    text = "\ufeff# the rules\n\n  Never book twice.  \r\n \u200b\n#remark\nAnswer in # signs.\n"
    file.write_text(text, encoding="utf-8")
    settings = read_settings({"EVERTURN_STORE": "d", "EVERTURN_RULES_FILE": str(file)})
    assert settings.rules == ("Never book twice.", "Answer in # signs.")


def test_without_a_file_there_are_no_rules() -> None:
    for named in ({}, {"EVERTURN_RULES_FILE": ""}):
        assert read_settings({"EVERTURN_STORE": "d", **named}).rules == ()


@pytest.mark.parametrize("name", ["missing.txt", ".", "latin.txt", "nul\0"])
def test_a_file_of_rules_that_cannot_be_read_stops_the_start(tmp_path: Path, name: str) -> None:
    """An agent without the rules that its operator wrote is not to start."""
    (tmp_path / "latin.txt").write_bytes(b"Caf\xe9")
    environment = {"EVERTURN_STORE": "d", "EVERTURN_RULES_FILE": str(tmp_path / name)}
    with pytest.raises(MisconfiguredError, match="EVERTURN_RULES_FILE"):
        read_settings(environment)
