"""The two buckets: private, encrypted, over TLS alone, and the guard of conditional writes."""

import pytest

from template.loaded import Template, loaded, of_type
from template.policies import Request, decision
from template.resolved import resolved

BUCKETS = ["DataBucket", "DerivedBucket"]
TLS = {"aws:SecureTransport": "true"}
# A PutObject or CompleteMultipartUpload; the other steps of a multipart upload have "false".
PUT = {**TLS, "s3:ObjectCreationOperation": "true"}
IF_MATCH = {"s3:if-match": '"5d41402abc4b2a76b9719d911017c592"'}
IF_NONE_MATCH = {"s3:if-none-match": "*"}


def _statements(bucket: str, **parameters: str) -> list[Template]:
    [policy] = [
        policy
        for policy in of_type(resolved(**parameters), "AWS::S3::BucketPolicy").values()
        if policy["Bucket"] == bucket
    ]
    statements: list[Template] = policy["PolicyDocument"]["Statement"]
    return statements


def _put(key: str, context: dict[str, str], **parameters: str) -> str:
    request = Request("s3:PutObject", f"arn:DataBucket/{key}", {**PUT, **context})
    return decision(_statements("DataBucket", **parameters), request)


def test_there_are_a_data_bucket_and_a_derived_bucket() -> None:
    assert sorted(of_type(loaded(), "AWS::S3::Bucket")) == BUCKETS


@pytest.mark.parametrize("bucket", BUCKETS)
def test_a_bucket_is_closed_to_the_public_and_to_object_acls(bucket: str) -> None:
    properties = of_type(resolved(), "AWS::S3::Bucket")[bucket]
    assert properties["PublicAccessBlockConfiguration"] == dict.fromkeys(
        ("BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets"),
        True,
    )
    assert properties["OwnershipControls"]["Rules"] == [{"ObjectOwnership": "BucketOwnerEnforced"}]


@pytest.mark.parametrize("bucket", BUCKETS)
def test_a_bucket_encrypts_what_it_holds(bucket: str) -> None:
    [rule] = of_type(resolved(), "AWS::S3::Bucket")[bucket]["BucketEncryption"][
        "ServerSideEncryptionConfiguration"
    ]
    assert rule["ServerSideEncryptionByDefault"]["SSEAlgorithm"] in ("AES256", "aws:kms")


@pytest.mark.parametrize("bucket", BUCKETS)
def test_a_bucket_outlives_its_stack(bucket: str) -> None:
    resource = loaded()["Resources"][bucket]
    assert (resource["DeletionPolicy"], resource["UpdateReplacePolicy"]) == ("Retain", "Retain")


@pytest.mark.parametrize("bucket", BUCKETS)
def test_unfinished_uploads_do_not_stay(bucket: str) -> None:
    rules = of_type(resolved(), "AWS::S3::Bucket")[bucket]["LifecycleConfiguration"]["Rules"]
    assert {"DaysAfterInitiation": 1} in [
        rule.get("AbortIncompleteMultipartUpload") for rule in rules
    ]


def test_data_alone_has_versions_and_they_expire_as_the_parameter_says() -> None:
    buckets = of_type(resolved(NoncurrentVersionDays="11"), "AWS::S3::Bucket")
    assert buckets["DataBucket"]["VersioningConfiguration"] == {"Status": "Enabled"}
    assert "VersioningConfiguration" not in buckets["DerivedBucket"]
    rules = buckets["DataBucket"]["LifecycleConfiguration"]["Rules"]
    assert {"NoncurrentDays": "11"} in [rule.get("NoncurrentVersionExpiration") for rule in rules]
    assert all(rule["Status"] == "Enabled" and "Prefix" not in rule for rule in rules)


@pytest.mark.parametrize("bucket", BUCKETS)
@pytest.mark.parametrize("action", ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"])
def test_plain_http_is_refused_and_tls_is_not(bucket: str, action: str) -> None:
    key = f"arn:{bucket}/i/t/a/conversations"
    plain = Request(action, key, {**PUT, **IF_MATCH, "aws:SecureTransport": "false"})
    secure = Request(action, key, {**PUT, **IF_MATCH})
    assert decision(_statements(bucket), plain) == "denied"
    assert decision(_statements(bucket), secure) == "not mentioned"


@pytest.mark.parametrize("bucket", BUCKETS)
def test_listing_by_plain_http_is_refused(bucket: str) -> None:
    request = Request("s3:ListBucket", f"arn:{bucket}", {"aws:SecureTransport": "false"})
    assert decision(_statements(bucket), request) == "denied"


@pytest.mark.parametrize("bucket", BUCKETS)
def test_a_bucket_policy_only_denies_and_to_everybody(bucket: str) -> None:
    assert {(s["Effect"], s["Principal"]) for s in _statements(bucket)} == {("Deny", "*")}


@pytest.mark.parametrize(
    "key",
    [
        "c/t/a/c.json",
        "m/t/a/r.json",
        "o/t/a/s/k.json",
        "q/t/a/c/0.json",
        "w/t/a/c.json",
        "x/t/a/c/0.json",
    ],
)
def test_a_put_without_a_condition_is_refused_where_the_guard_stands(key: str) -> None:
    assert _put(key, {}) == "denied"
    assert _put(key, IF_MATCH) == "not mentioned"
    assert _put(key, IF_NONE_MATCH) == "not mentioned"


@pytest.mark.parametrize("key", ["s/t/a/c/0-1-x.json", "p/c/m/w/o/q/x"])
def test_the_guard_leaves_other_prefixes_alone(key: str) -> None:
    assert _put(key, {}) == "not mentioned"


def test_reads_and_deletes_need_no_condition() -> None:
    for action in ("s3:GetObject", "s3:DeleteObject"):
        request = Request(action, "arn:DataBucket/c/t/a/c.json", TLS)
        assert decision(_statements("DataBucket"), request) == "not mentioned"


def test_steps_of_a_multipart_upload_pass_and_its_completion_needs_a_condition() -> None:
    """CreateMultipartUpload and UploadPart cannot carry a condition, but they commit nothing."""
    part = {"s3:ObjectCreationOperation": "false"}
    assert _put("c/t/a/c.json", part) == "not mentioned"
    assert _put("c/t/a/c.json", {"s3:ObjectCreationOperation": "true"}) == "denied"


def test_the_guard_can_be_switched_off_and_tls_cannot() -> None:
    assert _put("c/t/a/c.json", {}, RefuseUnconditionalWrites="false") == "not mentioned"
    plain = {**IF_MATCH, "aws:SecureTransport": "false"}
    assert _put("c/t/a/c.json", plain, RefuseUnconditionalWrites="false") == "denied"


def test_the_guard_is_on_unless_told_otherwise() -> None:
    assert loaded()["Parameters"]["RefuseUnconditionalWrites"]["Default"] == "true"
