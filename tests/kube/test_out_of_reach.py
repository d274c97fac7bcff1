# SPDX-License-Identifier: Apache-2.0
"""Certificates that manage themselves, when objects are out of reach, or what is written to them does not last."""

import pytest
from server_harness import eventually

from kube.fake_api_server import REGISTRATION, SECRET, is_patch, is_watch
from kube.test_certificates import QUICK, SERVES, TROUBLE, replica, start  # noqa: F401

AGAIN = "the certificates are in order again"


def forget_bundle(registration):
    for webhook in registration["webhooks"]:
        webhook["clientConfig"].pop("caBundle", None)


@pytest.fixture
def forgetful(api):
    """Something removes the caBundle as it is written, before it can be read."""
    original = api._json_patch

    def patch(request):
        answer = original(request)
        if request.resource == REGISTRATION:
            api.edit(REGISTRATION, forget_bundle)
        return answer

    def begin():
        api._json_patch = patch
        api.edit(REGISTRATION, forget_bundle)

    def end():
        api._json_patch = original

    yield begin, end
    end()


def test_a_step_that_does_not_last_is_trouble_but_no_flood(api, replica, forgetful):  # noqa: F811
    begin, end = forgetful
    before = len(api.seen(is_patch))
    begin()
    assert "it has no lasting effect" in replica.wait_for_event(TROUBLE)["message"]
    assert len(api.seen(is_patch)) - before < 30
    eventually(lambda: "caBundle does not verify" in replica.not_ready(), "it is not ready")
    end()
    replica.wait_for_event(AGAIN)
    replica.wait_until_ready()


def test_certificates_are_renewed_where_the_registration_is_out_of_reach(api, start):  # noqa: F811
    replica = start(*QUICK, "--leaf-life", "9s", "--clock-margin", "0").wait_until_ready()  # noqa: F811
    with api.fail(403, where=lambda request: request.resource == REGISTRATION and not is_watch(request)):
        api.touch(SECRET)
        replica.wait_for_event(TROUBLE)
        replica.wait_for_event(SERVES, count=len(replica.events(SERVES)) + 2)
        assert replica.is_ready()
    replica.wait_for_event(AGAIN)


def test_a_load_balancers_404_is_not_a_missing_object(api, replica):  # noqa: F811
    before = api.get(SECRET)
    with api.say(b"default backend - 404", 404, "text/plain", where=lambda request: not is_watch(request)):
        api.touch(REGISTRATION)
        assert "HTTP 404" in replica.wait_for_event(TROUBLE)["message"]
        assert replica.is_ready()
    replica.wait_for_event(AGAIN)
    assert api.get(SECRET) == before


def test_an_outage_is_reported_once_however_its_numbers_differ(api, replica):  # noqa: F811
    api.stop()
    replica.wait_for_event(TROUBLE)
    tries = replica.metrics()["process_cpu_seconds_total"]
    eventually(lambda: replica.metrics()["process_cpu_seconds_total"] > tries, "it tries again")
    api.start()
    replica.wait_for_event(AGAIN)
    assert len({event["message"].split("after")[0] for event in replica.events(TROUBLE)}) == len(replica.events(TROUBLE))
