"""The whole of it, deployed as a user does: signed requests, functions, queue, buckets.

docs/tried-without-an-account.md says what the emulator shows of it. The tests of a file like this
are one story: each finds what those before it left. Between files no order matters.
"""

import json
import re
from dataclasses import replace
from functools import partial
from typing import Final

import pytest
from botocore.credentials import Credentials

from deployment.deployed_stack import DeployedStack
from deployment.deployed_talk import (
    answered,
    append,
    consolidation,
    eventually,
    refused_routes,
    session,
    statements,
)
from deployment.signed_requests import MAY_CALL, Caller

pytestmark = [
    pytest.mark.slow,
    # The first test makes two environments, builds a layer and deploys.
    pytest.mark.timeout(1_200),
]

SAID: Final = "My name is Dana. I prefer short answers. Remember that the gate is B12."


@pytest.fixture(scope="module")
def stack(built_stack: DeployedStack) -> DeployedStack:
    return built_stack.having()


@pytest.fixture(scope="module")
def dana(stack: DeployedStack) -> Caller:
    return session(stack, session="dana")


def test_the_api_answers_whoever_signs_with_a_role_that_may_call_it(
    stack: DeployedStack, dana: Caller
) -> None:
    """The functions' answers are told from the gateway's by what they look like."""
    keys = dana.credentials
    assert keys
    forged = replace(dana, credentials=Credentials(keys.access_key, "forged", keys.token))
    barred = session(stack, role="BarredRole", session="dana", may={**MAY_CALL, "Effect": "Deny"})
    for caller in (replace(dana, credentials=None), forged, barred):
        refused = caller.ask("GET", "/v1/conversations")
        assert (refused.status, "conversations" in refused.text) == (403, False)
    assert dana.ask("GET", "/v1/no-such-route").status == 404
    assert answered(dana, "GET", "/v1/conversations") == {"conversations": [], "skipped": 0}


def test_what_is_said_is_kept_found_and_remembered_by_way_of_the_queue(
    stack: DeployedStack, dana: Caller
) -> None:
    assert append(dana, "talk", SAID)["turn_count"] == 1
    [row] = answered(dana, "GET", "/v1/conversations")["conversations"]
    assert (row["conversation_id"], row["preview"]) == ("talk", SAID)
    [hit] = answered(dana, "POST", "/v1/conversations/talk/recall", {"query": "which gate"})["hits"]
    assert (hit["index"], hit["text"]) == (0, SAID)
    eventually(
        stack.account, lambda: statements(dana), until=lambda found: "B12" in " ".join(found)
    )
    pinned = answered(dana, "POST", "/v1/memories/pinned", {})["text"]
    assert "name is Dana" in pinned
    assert "short answers" in pinned
    snippets = answered(dana, "POST", "/v1/memories/retrieve", {"query": "which gate"})["snippets"]
    assert "B12" in snippets[0]["text"]
    assert snippets[0]["kind"] != "turn"
    status = consolidation(dana)
    assert (status["pending"], status["dead"]) == (0, 0)


def test_what_is_stored_lies_under_the_keys_that_the_readme_names(
    stack: DeployedStack, dana: Caller
) -> None:
    held = stack.keys("DataBucketName")
    assert {"c/default/dana/talk.json", "w/default/dana/talk.json"} <= set(held)
    memories = [key for key in held if key.startswith("m/default/dana/")]
    assert len(memories) == len(statements(dana))
    own = ("c/", "s/", "m/", "w/", "x/", "q/", "o/")
    assert [key for key in held if not key.startswith(own)] == []
    derived = stack.keys("DerivedBucketName")
    assert "i/default/dana/conversations" in derived
    assert [key for key in derived if not key.startswith(("i/", "v/", "dirty/"))] == []


def test_two_users_behind_one_trusted_role_do_not_see_each_other(stack: DeployedStack) -> None:
    of = {"role": "FrontendRole", "session": "backend", "tenant": "acme"}
    ann, bob = (session(stack, **of, actor=actor) for actor in ("ann", "bob"))
    append(ann, "flight", "Remember that the gate is C47.")
    assert answered(bob, "GET", "/v1/conversations")["conversations"] == []
    assert bob.ask("GET", "/v1/conversations/flight").status == 404
    append(bob, "flight", "Remember that the gate is D18.")
    for caller, said, unsaid in ((ann, "C47", "D18"), (bob, "D18", "C47")):
        found = eventually(stack.account, partial(statements, caller), until=bool)
        assert said in " ".join(found)
        assert unsaid not in json.dumps(answered(caller, "GET", "/v1/conversations/flight"))
        query = {"query": "which gate, C47 or D18"}
        assert unsaid not in json.dumps(answered(caller, "POST", "/v1/memories/retrieve", query))


def test_who_is_not_trusted_may_not_name_another_user(dana: Caller) -> None:
    named = dana.ask("GET", "/v1/conversations", x_everturn_actor="ann", x_everturn_tenant="acme")
    assert (named.status, named.json["error"]["code"]) == (403, "forbidden")


def test_a_message_that_nobody_can_do_ends_among_the_dead_letters_and_stops_no_other(
    stack: DeployedStack, dana: Caller
) -> None:
    account = stack.account
    sqs, jobs = account.client("sqs"), stack.resources["JobQueue"]
    # The template's: six times the timeout of Consolidate, and five receives would take two hours.
    sqs.set_queue_attributes(QueueUrl=jobs, Attributes={"VisibilityTimeout": "1"})
    sqs.send_message(QueueUrl=jobs, MessageBody="poison")
    append(dana, "meanwhile", "Remember that the train leaves at 18:05.")
    eventually(account, lambda: statements(dana), until=lambda found: "18:05" in " ".join(found))
    eventually(account, lambda: consolidation(dana)["dead"], until=lambda dead: dead)
    dead = sqs.receive_message(QueueUrl=stack.resources["DeadLetters"], WaitTimeSeconds=5)
    assert [message["Body"] for message in dead["Messages"]] == ["poison"]
    sqs.close()


def test_a_deleted_conversation_takes_what_only_it_said_with_it(
    stack: DeployedStack, dana: Caller
) -> None:
    receipt = answered(dana, "DELETE", "/v1/conversations/meanwhile")
    assert receipt["complete"]
    assert receipt["deleted"]["turns"] == 1
    assert "18:05" not in " ".join(statements(dana))
    query = {"query": "when does the train leave"}
    assert "18:05" not in json.dumps(answered(dana, "POST", "/v1/memories/retrieve", query))
    assert dana.ask("GET", "/v1/conversations/meanwhile").status == 404
    held = stack.keys("DataBucketName")
    assert [key for key in held if "meanwhile" in key] == ["c/default/dana/meanwhile.json"]
    assert "B12" in " ".join(statements(dana))


def test_every_route_is_answered_and_at_the_end_nothing_is_left(stack: DeployedStack) -> None:
    """Redacting, popping, outcomes and promotion included: each role is enough."""
    assert refused_routes(session(stack, session="noor")) == {}
    left = [key for key in stack.keys("DataBucketName") if key.startswith("m/default/noor/")]
    assert left == []


def test_a_pattern_that_nothing_speaks_for_is_not_promoted(dana: Caller) -> None:
    said = {"kind": "pattern", "statement": "Test, then push."}
    path = f"/v1/memories/{answered(dana, 'POST', '/v1/memories', said)['memory']['id']}"
    went = answered(dana, "POST", f"{path}/outcomes", {"status": "failure"})["memory"]
    refused = dana.ask("POST", f"{path}/promote", {})
    assert (refused.status, refused.json["error"]["code"]) == (409, "conflict")
    assert answered(dana, "GET", path)["memory"] == went


def test_the_sweep_goes_through_all_that_there_is(stack: DeployedStack) -> None:
    """Nothing is old enough to go: what it may remove, this does not show."""
    before = stack.keys("DataBucketName")
    functions = stack.account.client("lambda")
    called = functions.invoke(FunctionName=stack.resources["Sweep"], Payload=b"{}")
    outcome = json.loads(called["Payload"].read())
    functions.close()
    assert "FunctionError" not in called, outcome
    assert (outcome["complete"], outcome["failed"], outcome["skipped"]) == (True, 0, 0)
    assert stack.keys("DataBucketName") == before
    assert "i/.sweep" in stack.keys("DerivedBucketName")


def test_a_function_has_the_rights_of_its_own_role_alone(
    stack: DeployedStack, dana: Caller
) -> None:
    """A right that is taken from the role is missed: nothing else gave it."""
    iam, role = stack.account.client("iam"), stack.resources["DocumentsRole"]
    written = dana.ask("PUT", "/v1/documents/notes/first", {"value": "kept"})
    assert written.status == 201, written
    taken = {"Effect": "Deny", "Action": "s3:GetObject", "Resource": "*"}
    policy = json.dumps({"Version": "2012-10-17", "Statement": [taken]})
    iam.put_role_policy(RoleName=role, PolicyName="taken", PolicyDocument=policy)
    refused = dana.ask("GET", "/v1/documents/notes/first")
    iam.delete_role_policy(RoleName=role, PolicyName="taken")
    iam.close()
    assert (refused.status, refused.json["error"]["code"]) == (500, "store_error")
    assert answered(dana, "GET", "/v1/documents/notes/first")["value"] == "kept"


def test_an_update_of_the_stack_changes_the_parameter_and_keeps_what_was_stored(
    stack: DeployedStack, dana: Caller
) -> None:
    before = stack.keys("DataBucketName")
    outputs = stack.outputs
    assert stack.having(AgentIdentity="You are Ada.").outputs == outputs
    assert answered(dana, "POST", "/v1/memories/pinned", {})["text"].count("You are Ada.") == 1
    assert stack.keys("DataBucketName") == before
    [turn] = answered(dana, "GET", "/v1/conversations/talk/turns?last=16")["turns"]
    assert turn["text"] == SAID
    assert append(dana, "talk", "Thank you.")["turn_count"] == 2


def test_the_logs_hold_metrics_and_nothing_that_anybody_said(stack: DeployedStack) -> None:
    """Of every function: each has been asked."""
    logs = stack.account.client("logs")
    groups = {name for id_, name in stack.resources.items() if id_.endswith("LogGroup")}
    assert len(groups) == 13
    for group in groups - {stack.resources["ApiLogGroup"]}:
        pages = logs.get_paginator("filter_log_events").paginate(logGroupName=group)
        said = "".join(event["message"] for page in pages for event in page["events"])
        assert '"Namespace":"Everturn"' in said, group
        # Numbers and ids of requests may have any of these within them.
        words = ("Dana", "B12", "C47", "gate", "8080")
        told = [word for word in words if re.search(rf"\b{word}\b", said)]
        assert told == [], group
    logs.close()
