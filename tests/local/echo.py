"""A small template and handlers that tell what they were called with."""

import json
from pathlib import Path
from typing import Any

from everturn.adapters.system_clock import ManualClock, SeededEntropy
from everturn.local.gateway import Gateway
from everturn.local.template import Function, Route

ECHO = Function("Echo", "functions/echo/", "app.handler")
FAILING = Function("Failing", "functions/failing/", "app.handler")
ROUTES = (
    Route("GET /v1/things", ECHO),
    Route("POST /v1/things", ECHO),
    Route("GET /v1/things/{id}", ECHO),
    Route("DELETE /v1/things/{id}/parts/{n}", ECHO),
    Route("DELETE /v1/things/{id}/parts/last", ECHO),
    Route("GET /v1/fail", FAILING),
)

TEMPLATE = """
Transform: AWS::Serverless-2016-10-31
Parameters: {Issuer: {Type: String, Default: ""}}
Conditions: {UseJwt: !Not [!Equals [!Ref Issuer, ""]]}
Resources:
  EchoFunction:
    Type: AWS::Serverless::Function
    Properties: {CodeUri: functions/echo/, Handler: app.handler, Role: !GetAtt Role.Arn}
  EchoIntegration:
    Type: AWS::ApiGatewayV2::Integration
    Properties: {IntegrationUri: !GetAtt EchoFunction.Arn}
  LongIntegration:
    Type: AWS::ApiGatewayV2::Integration
    Properties:
      IntegrationUri: !Sub arn:${AWS::Partition}:apigateway:x/${EchoFunction.Arn}/invocations
  FirstRoute:
    Type: AWS::ApiGatewayV2::Route
    Properties:
      RouteKey: GET /v1/things
      Target: !Sub integrations/${EchoIntegration}
      AuthorizationType: !If [UseJwt, JWT, AWS_IAM]
  SecondRoute:
    Type: AWS::ApiGatewayV2::Route
    Properties:
      RouteKey: GET /v1/things/{id}
      Target: !Join [/, [integrations, !Ref LongIntegration]]
  ThirdRoute:
    Type: AWS::ApiGatewayV2::Route
    Properties:
      RouteKey: POST /v1/things
      Target: {"Fn::Join": [/, [integrations, {Ref: EchoIntegration}]]}
"""

APP = """
import os
SEEN = os.environ.get("EVERTURN_STORE"), os.environ.get("EVERTURN_SERVICE_ROLES")

def handler(event, context):
    return {"statusCode": 200, "body": repr(SEEN)}
"""


def echo(event: dict[str, Any], context: Any) -> dict[str, Any]:  # noqa: ANN401 - Lambda's own
    """Answer with the event and the context's facts."""
    facts = {
        "event": event,
        "request": context.aws_request_id,
        "function": context.function_name,
        "left_ms": context.get_remaining_time_in_millis(),
    }
    return {
        "statusCode": 200,
        "headers": {"Content-Type": "application/json", "X-Number": 7},
        "cookies": ["a=1", "b=2"],
        "body": json.dumps(facts),
    }


def fail(_event: dict[str, Any], _context: object) -> dict[str, Any]:
    """Break as a handler may."""
    raise LookupError("a secret of the user")


def echo_gateway() -> Gateway:
    """Return a gateway over the handlers above, with a clock that stands."""
    handlers = {"Echo": echo, "Failing": fail}
    return Gateway(ROUTES, handlers, clock=ManualClock(), entropy=SeededEntropy())


def write_tree(root: Path) -> None:
    """Write the template and its function as files."""
    (root / "template.yaml").write_text(TEMPLATE)
    folder = root / "functions" / "echo"
    folder.mkdir(parents=True)
    (folder / "app.py").write_text(APP)
