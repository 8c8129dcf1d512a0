"""An object store in an S3 bucket, under a prefix.

Not here: making clients (s3_clients.py), what their errors mean (s3_errors.py), retries of writes.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal, Self

from everturn.adapters.s3_clients import is_aws, shared_clients
from everturn.adapters.s3_errors import (
    FOREIGN_ERRORS,
    passing_keys,
    status_and_code,
    store_error,
    translated,
)
from everturn.adapters.s3_listing import page_of
from everturn.ports.object_store import (
    ABSENT,
    ANY,
    UNCHANGED,
    Etag,
    Page,
    Sentinel,
    StoredObject,
    checked_keys,
    checked_meta,
)

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import (
        DeleteObjectRequestTypeDef,
        GetObjectRequestTypeDef,
        ObjectIdentifierTypeDef,
        PutObjectRequestTypeDef,
    )

_NOT_MODIFIED: Final = 304
_FORBIDDEN: Final = 403
_CONTENT_TYPE: Final = "application/json"


class S3Store:
    """Objects of one bucket whose keys begin with one prefix; etags are S3's, quotes included.

    One call is one request. Only a get that S3 refuses with 403 takes a second one: without
    `s3:ListBucket` S3 says 403 for an absent key as well, and a LIST of exactly that key decides.
    https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html
    """

    def __init__(self, *, bucket: str, prefix: str, writes: "S3Client", reads: "S3Client") -> None:
        """Take a client that sends each request once and one that may repeat reads."""
        self._bucket = bucket
        self._prefix = f"{prefix.strip('/')}/" if prefix.strip("/") else ""
        self._writes = writes
        self._reads = reads

    @classmethod
    def connect(cls, *, bucket: str, prefix: str) -> Self:
        """Open a store with the clients of this process; sends nothing yet."""
        clients = shared_clients()
        return cls(bucket=bucket, prefix=prefix, writes=clients.writes, reads=clients.reads)

    @property
    def is_aws(self) -> bool:
        """Whether the endpoint is AWS; any other has to show that it keeps conditions."""
        return is_aws(self._writes)

    def get(
        self, key: str, *, unless_etag: Etag | None = None
    ) -> StoredObject | Literal[Sentinel.UNCHANGED] | None:
        """Read one object: None if absent, `UNCHANGED` if its etag is `unless_etag`.

        Raises:
            AccessDeniedError: no permission, and neither does a LIST tell that the key is absent.
            UnavailableError: no answer in two attempts.
            MisconfiguredError: there is no such bucket, or there are no credentials.
        """
        request: GetObjectRequestTypeDef = {"Bucket": self._bucket, "Key": self._prefix + key}
        if unless_etag is not None:
            request["IfNoneMatch"] = unless_etag
        try:
            answer = self._reads.get_object(**request)
            body = answer["Body"].read()
        except FOREIGN_ERRORS as exc:
            return self._without_object(key, exc)
        return StoredObject(body, Etag(answer["ETag"]), answer["Metadata"])

    def put(
        self,
        key: str,
        body: bytes,
        *,
        expect: Etag | Literal[Sentinel.ABSENT],
        meta: Mapping[str, str] | None = None,
    ) -> Etag:
        """Write one object if the key is as expected, else nothing; sent once.

        Raises:
            PreconditionFailedError: 412, or 409: another write is in flight.
            GoneError: 404 (some servers say 412).
            OutcomeUnknownError: no answer, or a 5xx.
            InvalidRequestError: `meta` is too large or not ASCII; not sent.
            AccessDeniedError: any other 4xx; If-Match needs `s3:GetObject` as well.
        """
        request = self._put_request(key, body)
        request["Metadata"] = checked_meta(meta)
        if expect is ABSENT:
            request["IfNoneMatch"] = "*"
        else:
            request["IfMatch"] = expect
        return self._put(request)

    def overwrite(self, key: str, body: bytes) -> Etag:
        """Write one object whatever is there; sent once; raises as `put` does."""
        return self._put(self._put_request(key, body))

    def delete(self, key: str, *, expect: Etag | Literal[Sentinel.ANY]) -> None:
        """Remove one object if it has this etag, or with `ANY` whatever is there; sent once.

        Raises:
            PreconditionFailedError: 412 or 409.
            GoneError: 404 (some servers say 412).
            OutcomeUnknownError: no answer, or a 5xx.
        """
        request: DeleteObjectRequestTypeDef = {"Bucket": self._bucket, "Key": self._prefix + key}
        if expect is not ANY:
            request["IfMatch"] = expect
        with translated("delete"):
            self._writes.delete_object(**request)

    def delete_many(self, keys: Sequence[str]) -> tuple[str, ...]:
        """Remove up to 1,000 objects whatever is there; sent once.

        https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjects.html

        Returns:
            The keys that S3 did not remove for now.

        Raises:
            AccessDeniedError: it refuses one for good.
            OutcomeUnknownError: no answer, or a 5xx.
            InvalidRequestError: there are more; not sent.
        """
        checked = checked_keys(keys)
        if not checked:
            return ()
        objects: list[ObjectIdentifierTypeDef] = [{"Key": self._prefix + key} for key in checked]
        with translated("delete"):
            answer = self._writes.delete_objects(
                Bucket=self._bucket, Delete={"Objects": objects, "Quiet": True}
            )
        left = passing_keys(
            (row.get("Key", ""), row.get("Code", "")) for row in answer.get("Errors", ())
        )
        return tuple(key for key in checked if self._prefix + key in left)

    def list(self, prefix: str, *, start_after: str = "") -> Page:
        """List one page (1,000 keys) of the keys that begin with `prefix`, in byte order."""
        with translated("list"):
            answer = self._reads.list_objects_v2(
                Bucket=self._bucket,
                Prefix=self._prefix + prefix,
                StartAfter=self._prefix + start_after if start_after else "",
            )
        return page_of(answer, prefix=self._prefix)

    def _put_request(self, key: str, body: bytes) -> "PutObjectRequestTypeDef":
        return {
            "Bucket": self._bucket,
            "Key": self._prefix + key,
            "Body": body,
            "ContentType": _CONTENT_TYPE,
        }

    def _put(self, request: "PutObjectRequestTypeDef") -> Etag:
        with translated("put"):
            return Etag(self._writes.put_object(**request)["ETag"])

    def _without_object(self, key: str, exc: Exception) -> Literal[Sentinel.UNCHANGED] | None:
        status, code = status_and_code(exc)
        if status == _NOT_MODIFIED:
            return UNCHANGED
        if code == "NoSuchKey" or (status == _FORBIDDEN and not self._is_listed(key)):
            return None
        raise store_error(exc, "get") from exc

    def _is_listed(self, key: str) -> bool:
        # The key itself comes first among the keys that begin with it.
        with translated("list"):
            answer = self._reads.list_objects_v2(
                Bucket=self._bucket, Prefix=self._prefix + key, MaxKeys=1
            )
        return key in page_of(answer, prefix=self._prefix).keys
