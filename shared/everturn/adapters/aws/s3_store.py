"""An object store in an S3 bucket, under a prefix."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Final, Literal, Self

from everturn.adapters.aws.errors import (
    FOREIGN_ERRORS,
    passing_keys,
    s3_errors,
    status_and_code,
    store_error,
)
from everturn.adapters.aws.s3_clients import SIGNED_BY, is_aws, shared_clients
from everturn.adapters.aws.s3_listing import page_of
from everturn.errors import AccessDeniedError, GoneError
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
    from botocore.credentials import Credentials
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

    One call is one request. Only a get, or a write that replaces or removes a version, takes a
    second one where S3 refuses it with 403: without `s3:ListBucket`, or with it for some prefixes
    alone, S3 says 403 for an absent key as well, and a LIST of exactly that key decides.
    https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html
    """

    def __init__(
        self,
        *,
        bucket: str,
        prefix: str,
        writes: "S3Client",
        reads: "S3Client",
        signed_by: "Callable[[], Credentials] | None" = None,
    ) -> None:
        """Take a client that sends each request once and one that may repeat reads.

        `signed_by` is asked before each request for the credentials to sign it with, without it
        they are those of the clients. Every call raises what it raises, a NotSentError or a
        MisconfiguredError, and has then sent nothing: the outcome of a write is not unknown.
        """
        self._bucket = bucket
        self._prefix = f"{prefix.strip('/')}/" if prefix.strip("/") else ""
        self._writes = writes
        self._reads = reads
        self._signed_by = signed_by

    @classmethod
    def connect(
        cls, *, bucket: str, prefix: str, signed_by: "Callable[[], Credentials] | None" = None
    ) -> Self:
        """Open a store with the clients of this process; sends nothing yet."""
        clients = shared_clients()
        return cls(
            bucket=bucket,
            prefix=prefix,
            writes=clients.writes,
            reads=clients.reads,
            signed_by=signed_by,
        )

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
        signed = self._signed()
        try:
            answer = self._reads.get_object(**request, **signed)
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
            return self._put(request)
        request["IfMatch"] = expect
        with self._gone_if_absent(key):
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
        signed = self._signed()
        absence = nullcontext() if expect is ANY else self._gone_if_absent(key)
        with absence, s3_errors("delete"):
            self._writes.delete_object(**request, **signed)

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
        signed = self._signed()
        with s3_errors("delete"):
            answer = self._writes.delete_objects(
                Bucket=self._bucket, Delete={"Objects": objects, "Quiet": True}, **signed
            )
        left = passing_keys(
            (row.get("Key", ""), row.get("Code", "")) for row in answer.get("Errors", ())
        )
        return tuple(key for key in checked if self._prefix + key in left)

    def list(self, prefix: str, *, start_after: str = "") -> Page:
        """List one page (1,000 keys) of the keys that begin with `prefix`, in byte order."""
        signed = self._signed()
        with s3_errors("list"):
            answer = self._reads.list_objects_v2(
                Bucket=self._bucket,
                Prefix=self._prefix + prefix,
                StartAfter=self._prefix + start_after if start_after else "",
                **signed,
            )
        return page_of(answer, prefix=self._prefix)

    def _signed(self) -> dict[str, Any]:
        return {} if self._signed_by is None else {SIGNED_BY: self._signed_by()}

    def _put_request(self, key: str, body: bytes) -> "PutObjectRequestTypeDef":
        return {
            "Bucket": self._bucket,
            "Key": self._prefix + key,
            "Body": body,
            "ContentType": _CONTENT_TYPE,
        }

    def _put(self, request: "PutObjectRequestTypeDef") -> Etag:
        signed = self._signed()
        with s3_errors("put"):
            return Etag(self._writes.put_object(**request, **signed)["ETag"])

    def _without_object(self, key: str, exc: Exception) -> Literal[Sentinel.UNCHANGED] | None:
        status, code = status_and_code(exc)
        if status == _NOT_MODIFIED:
            return UNCHANGED
        if code == "NoSuchKey" or (status == _FORBIDDEN and not self._is_listed(key)):
            return None
        raise store_error(exc, "get") from exc

    @contextmanager
    def _gone_if_absent(self, key: str) -> Iterator[None]:
        """Tell a write to a version that is gone from one that nobody may make."""
        try:
            yield
        except AccessDeniedError as error:
            cause = error.__cause__
            forbidden = isinstance(cause, Exception) and status_and_code(cause)[0] == _FORBIDDEN
            if forbidden and not self._is_listed(key):
                raise GoneError("there is no such object any more") from error
            raise

    def _is_listed(self, key: str) -> bool:
        # The key itself comes first among the keys that begin with it.
        signed = self._signed()
        with s3_errors("list"):
            answer = self._reads.list_objects_v2(
                Bucket=self._bucket, Prefix=self._prefix + key, MaxKeys=1, **signed
            )
        return key in page_of(answer, prefix=self._prefix).keys
