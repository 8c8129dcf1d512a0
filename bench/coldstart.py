"""From the start of a process to its first answer: each function, and an empty handler beside it.

Not here: Lambda's own start. The empty handler has a Powertools resolver with validation and one
boto3 client, as any function on S3 has; S3 and SQS answer from within the process, without a
network.
"""

import statistics
import subprocess
import sys
import time
from pathlib import Path

from measuring import Row, options, report

FUNCTIONS = Path(__file__).parents[1] / "functions"
EVENTS = Path(__file__).parents[1] / "tests" / "events"

PRELUDE = """
import io, json, os, sys
os.environ.update(
    AWS_DEFAULT_REGION="us-east-1", AWS_ACCESS_KEY_ID="x", AWS_SECRET_ACCESS_KEY="x",
    EVERTURN_STORE="s3://bench", POWERTOOLS_METRICS_NAMESPACE="b", POWERTOOLS_SERVICE_NAME="b",
)
class Context:
    function_name = memory_limit_in_mb = invoked_function_arn = aws_request_id = "x"
    get_remaining_time_in_millis = lambda self: 20_000
def answer_from_within():
    from botocore.awsrequest import AWSResponse
    from botocore.httpsession import URLLib3Session
    class Raw(io.BytesIO):
        def stream(self, *_, **__):
            yield self.read()
    def send(_, request):
        absent = b"<Error><Code>NoSuchKey</Code></Error>"
        listing = b"<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>"
        listed = "list-type" in request.url
        if "X-Amz-Target" in request.headers:
            names = ("", "Delayed", "NotVisible")
            counts = {"ApproximateNumberOfMessages" + name: "0" for name in names}
            told = json.dumps({"MessageId": "x", "Attributes": counts})
            return AWSResponse(request.url, 200, {}, Raw(told.encode()))
        status = 404 if request.method == "GET" and not listed else 200
        body = listing if listed else absent if status == 404 else b""
        return AWSResponse(request.url, status, {"etag": '"e"'}, Raw(body))
    URLLib3Session.send = send
"""
EMPTY = (
    PRELUDE
    + """
import boto3
from aws_lambda_powertools.event_handler import APIGatewayHttpResolver
from pydantic import BaseModel
class Body(BaseModel):
    turns: list[dict[str, str]]
client = boto3.client("s3")
app = APIGatewayHttpResolver(enable_validation=True)
@app.post("/v1/conversations/<id_>/turns")
def append(id_: str, body: Body) -> dict[str, int]:
    return {"appended": len(body.turns)}
event = json.load(open(sys.argv[1]))
event["rawPath"] = "/v1/conversations/x/turns"
assert app.resolve(event, Context())["statusCode"] == 200
"""
)
OURS = (
    PRELUDE
    + """
import importlib.util
spec = importlib.util.spec_from_file_location("app", sys.argv[2])
app = importlib.util.module_from_spec(spec)
spec.loader.exec_module(app)
answer_from_within()
status = app.handler(json.load(open(sys.argv[1])), Context())["statusCode"]
assert status in (200, 404), status
"""
)
QUEUE = """
import os
os.environ.update(
    EVERTURN_QUEUE_URL="https://sqs.us-east-1.amazonaws.com/1/jobs",
    EVERTURN_DEAD_LETTERS_URL="https://sqs.us-east-1.amazonaws.com/1/dead",
)
"""
PROGRAMS = {
    "empty handler": (EMPTY, "append_iam.json", ""),
    "append": (OURS, "append_iam.json", "append"),
    "append with a queue": (QUEUE + OURS, "append_iam.json", "append"),
    "list": (OURS, "list_iam.json", "list"),
    "conversations": (OURS, "get_iam.json", "conversations"),
}


def start_ms(name: str) -> float:
    """Start one process and wait for its end."""
    program, event, function = PROGRAMS[name]
    handler = str(FUNCTIONS / function / "app.py")
    began = time.perf_counter()
    subprocess.run(  # noqa: S603  # our own program
        [sys.executable, "-c", program, str(EVENTS / event), handler],
        check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    return (time.perf_counter() - began) * 1e3


def main() -> None:
    """Run it."""
    asked = options(__doc__ or "")
    times = 3 if asked.quick else 21
    samples: dict[str, list[float]] = {name: [] for name in PROGRAMS}
    for _ in range(times):
        for name in PROGRAMS:
            samples[name].append(start_ms(name))
    empty_ms = statistics.median(samples["empty handler"])
    rows: list[Row] = [
        {"function": name, "ms": ms, "of empty": ms / empty_ms}
        for name, ms in ((name, statistics.median(taken)) for name, taken in samples.items())
    ]
    report(f"start to first answer, median of {times} interleaved starts", rows, asked.json)


if __name__ == "__main__":
    main()
