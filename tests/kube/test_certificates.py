# SPDX-License-Identifier: Apache-2.0
"""`serve --cert-mode self-managed` against an API server with faults on demand: whatever happens to it and to the objects,
a client that trusts what the registration publishes is served.
"""

import base64
import contextlib
import os
import resource
import signal
import ssl
import subprocess
import threading
import time

import pytest
from conftest import program_path
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from server_harness import SANITIZED, Server, eventually, post, read_answer, stateful_set_review

from kube.authority import Authority
from kube.fake_api_server import REGISTRATION, SECRET, is_patch, is_watch
from kube.memory import holds

NAME = "tfconfig-webhook.tfconfig-system.svc"
WEBHOOKS = ("statefulsets.tfconfig.dev", "pods.tfconfig.dev")
QUICK = ("--ca-settle", "1s")  # else a rotation takes ten seconds
SERVES = "a new certificate is in use"
PROMOTED = "the next CA signs from now on"
TROUBLE = "the certificates need attention; the one in use stays in use"
QUIET = 6  # seconds: by then a client that asks again and again has asked too often
ASKED = 5  # times that a steady client has been answered by each replica, at least


def install(api):
    """What the manifests create: an empty Secret, and the registration without a caBundle."""
    api.put(SECRET, {"type": "Opaque"})
    api.put(REGISTRATION, {"webhooks": [
        {"name": name, "clientConfig": {"service": {"name": "tfconfig-webhook", "namespace": "tfconfig-system"}}}
        for name in WEBHOOKS]})


def bundles(api):
    """What each webhook of the registration publishes, as PEM."""
    registration = api.get(REGISTRATION)
    return [base64.b64decode(webhook["clientConfig"].get("caBundle", "")).decode()
            for webhook in registration["webhooks"]]


def is_get(request):
    return request.verb == "get"


def is_first_of_a_look(request):
    """A look reads the registration, and then the Secret."""
    return is_get(request) and request.resource == REGISTRATION


def await_two_looks(api, *resources):
    """Until it has looked again at objects that are touched, and then once more: the first of the looks is over then,
    with whatever it led to."""
    for _ in range(2):
        for resource in resources:
            api.touch(resource)
        api.wait_for(is_first_of_a_look, len(api.seen(is_first_of_a_look)) + 1)


def published(api):
    """The one bundle of all webhooks."""
    (bundle,) = set(bundles(api))
    return bundle


def certificates(pem):
    return x509.load_pem_x509_certificates(pem.encode()) if pem else []


def data(api):
    return {key: base64.b64decode(value).decode() for key, value in (api.get(SECRET).get("data") or {}).items()}


class Replica(Server):
    """A server whose certificate manages itself."""

    def __init__(self, api, *flags, **options):
        self.api = api
        super().__init__(self, *flags, environment=api.env, **options)

    def flags(self):
        return ["--cert-mode", "self-managed", "--service-account", str(self.api.folder.path), "--cluster-domain",
                "cluster.local"]

    def is_ready(self):
        return self.page("/readyz").status == 200

    def wait_until_ready(self):
        eventually(self.is_ready, "it is ready")
        return self

    def not_ready(self):
        """The reason why."""
        answer = self.page("/readyz")
        return "" if answer.status == 200 else answer.body.decode().strip()

    def leaf(self, bundle=None):
        """The certificate that it serves, verified as an API server would."""
        context = ssl.create_default_context(cadata=bundle or published(self.api))
        with context.wrap_socket(self.tcp(), server_hostname=NAME) as sock:
            sock.sendall(post(stateful_set_review()))
            assert read_answer(sock).json["allowed"] is True
            return x509.load_der_x509_certificate(sock.getpeercert(binary_form=True))


@pytest.fixture
def start(api):
    """Starts replicas, and checks that each ends well."""
    install(api)
    replicas = []

    def start(*flags, **options):
        replicas.append(Replica(api, *flags, **options))
        return replicas[-1]

    yield start
    for replica in replicas:
        replica.end()


@pytest.fixture
def replica(start):
    return start(*QUICK).wait_until_ready()


@contextlib.contextmanager
def steady_clients(api, *replicas):
    """Meanwhile API servers keep asking, each with a bundle that was published up to a second ago; a list of what went
    wrong, which must stay empty. Each must have been answered some times when the block is over."""
    failures, answered, ending = [], [0] * len(replicas), threading.Event()

    def ask_for_a_second(number):
        read_at, known = time.monotonic(), bundles(api)
        while not ending.is_set() and time.monotonic() < read_at + 1:
            for bundle in known:
                replicas[number].leaf(bundle)
            answered[number] += 1
            ending.wait(0.02)

    def ask(number):
        while not ending.is_set():
            try:
                ask_for_a_second(number)
            except Exception as error:  # whatever it is, this client was not served
                failures.append(repr(error))
                ending.wait(0.02)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(len(replicas))]
    for thread in threads:
        thread.start()
    try:
        yield failures
        eventually(lambda: failures or min(answered) >= ASKED, "each replica has answered some times")
    finally:
        ending.set()
        for thread in threads:
            thread.join()
    assert failures == []


# Installing


def seconds_valid(certificate):
    return (certificate.not_valid_after_utc - certificate.not_valid_before_utc).total_seconds()


def test_an_empty_secret_is_all_it_needs(api, replica):
    (ca,) = certificates(published(api))
    leaf = replica.leaf()
    assert ca.subject.rfc4514_string() == "CN=tfconfig-webhook CA"
    names = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value.get_values_for_type(x509.DNSName)
    assert names == [NAME, "tfconfig-webhook", "tfconfig-webhook.tfconfig-system", f"{NAME}.cluster.local"]
    assert set(data(api)) == {"ca.crt", "ca.key"}
    assert certificates(data(api)["ca.crt"]) == [ca]
    # 7 days and a year, to the second; validity starts an hour back.
    assert seconds_valid(leaf) == pytest.approx(7 * 86400 + 3600, abs=5)
    assert seconds_valid(ca) == pytest.approx(365 * 86400 + 3600, abs=5)


def test_it_reports_what_it_does(api, replica):
    replica.wait_for_event(SERVES)
    assert [event["step"] for event in replica.events() if "step" in event] == ["begin", "publish", "promote", "sign"]
    metrics = replica.metrics()
    (ca,) = certificates(published(api))
    assert metrics["ca_expiry_timestamp_seconds"] == ca.not_valid_after_utc.timestamp()
    assert metrics["certificate_expiry_timestamp_seconds"] == replica.leaf().not_valid_after_utc.timestamp()
    assert (metrics["registered"], metrics["certificates_in_trouble"]) == (1, 0)
    assert (metrics["certificates_signed_total"], metrics["ca_bundle_updates_total"]) == (1, 1)


def test_a_second_replica_takes_what_is_there(api, start, replica):
    before = data(api)
    second = start().wait_until_ready()
    assert data(api) == before
    assert second.leaf().serial_number != replica.leaf().serial_number
    assert [event["step"] for event in second.events() if "step" in event] == ["sign"]


def test_a_missing_secret_is_created(api, start):
    api.delete(SECRET)
    start().wait_until_ready().leaf()
    assert set(data(api)) == {"ca.crt", "ca.key"}


@pytest.mark.parametrize("round", range(5))
def test_replicas_that_start_together_agree_on_one_ca(api, start, round):
    replicas = [start() for _ in range(3)]
    for replica in replicas:
        replica.wait_until_ready()
    assert len(certificates(published(api))) == 1
    for replica in replicas:
        replica.leaf()


def test_until_it_has_a_certificate_it_lives_and_is_not_ready(api, start):
    with api.fail(503):
        replica = start()
        assert replica.page("/healthz").status == 200
        assert replica.not_ready() == "there is no certificate yet"
        assert "503" in replica.wait_for_event(TROUBLE)["message"]
        assert replica.metrics()["certificates_in_trouble"] == 1
    replica.wait_until_ready()
    replica.wait_for_event("the certificates are in order again")
    assert replica.metrics()["certificates_in_trouble"] == 0


# What others do to the registration


STRANGER = Authority("a stranger").pem
BUNDLES = {
    "wiped": None,
    "garbage": base64.b64encode(b"garbage").decode(),
    "a stranger's": base64.b64encode(STRANGER).decode(),
}


@pytest.mark.parametrize("bundle", BUNDLES)
@pytest.mark.parametrize("which", [(0,), (1,), (0, 1)])
def test_a_changed_bundle_is_restored(api, replica, bundle, which):
    before = published(api)

    def change(registration):
        for i in which:
            registration["webhooks"][i]["clientConfig"]["caBundle"] = BUNDLES[bundle]
            if BUNDLES[bundle] is None:
                del registration["webhooks"][i]["clientConfig"]["caBundle"]

    api.edit(REGISTRATION, change)
    eventually(lambda: set(bundles(api)) == {before}, "the bundle is back")
    replica.wait_until_ready()


def test_an_added_webhook_gets_the_bundle_too(api, replica):
    api.edit(REGISTRATION, lambda registration: registration["webhooks"].append(
        {"name": "other.example.com", "clientConfig": {"service": {"name": "a", "namespace": "b"}}}))
    eventually(lambda: len(set(bundles(api))) == 1, "it has the bundle")


@pytest.mark.parametrize("gone", WEBHOOKS)
def test_a_missing_webhook_is_reported_and_not_invented(api, replica, gone):
    api.edit(REGISTRATION, lambda registration: registration.update(
        webhooks=[webhook for webhook in registration["webhooks"] if webhook["name"] != gone]))
    assert replica.wait_for_event(TROUBLE)["message"] == (
        f"MutatingWebhookConfiguration tfconfig-webhook: webhook {gone} is missing: apply the manifests again")
    eventually(lambda: replica.not_ready() == "the webhooks are not registered", "it is not ready")
    assert replica.metrics()["registered"] == 0
    assert replica.page("/healthz").status == 200
    patches = len(api.seen(is_patch))
    await_two_looks(api, SECRET, REGISTRATION)
    assert [webhook["name"] for webhook in api.get(REGISTRATION)["webhooks"]] == [
        name for name in WEBHOOKS if name != gone]
    assert len(api.seen(is_patch)) == patches


def test_a_missing_registration_is_reported_and_comes_back(api, replica):
    api.delete(REGISTRATION)
    assert replica.wait_for_event(TROUBLE)["message"] == (
        "MutatingWebhookConfiguration tfconfig-webhook is missing: apply the manifests again")
    eventually(lambda: replica.not_ready() == "the webhooks are not registered", "it is not ready")
    patches = len(api.seen(is_patch))
    await_two_looks(api, SECRET)
    assert api.get(REGISTRATION) is None and len(api.seen(is_patch)) == patches
    secret = api.get(SECRET)
    install(api)
    api.put(SECRET, secret)
    replica.wait_until_ready().leaf()


# Rotation


def wait_until_all_follow(api, replicas):
    """Until each has a certificate of the CA that signs."""
    def follows(replica):
        (ca,) = certificates(data(api)["ca.crt"])
        try:
            replica.leaf().verify_directly_issued_by(ca)
        except InvalidSignature:
            return False
        return True

    eventually(lambda: all(map(follows, replicas)), "all have a certificate of the CA that signs")


def ask_for_rotation(api):
    api.edit(SECRET, lambda secret: secret["metadata"].setdefault("annotations", {}).update(
        {"tfconfig.dev/rotate": "now"}))


def test_two_requested_rotations_interrupt_no_client(api, start):
    replicas = [start(*QUICK).wait_until_ready() for _ in range(2)]
    with steady_clients(api, *replicas):
        for _ in range(2):
            before = data(api)["ca.crt"]
            ask_for_rotation(api)
            eventually(lambda: data(api)["ca.crt"] != before, "another CA signs")
            wait_until_all_follow(api, replicas)
    assert "tfconfig.dev/rotate" not in api.get(SECRET)["metadata"].get("annotations", {})
    assert "next.crt" not in data(api) and len(certificates(published(api))) == 3
    assert sum(replica.metrics()["ca_rotations_total"] for replica in replicas) == 3  # the first CA's among them


def test_certificates_are_renewed_while_clients_keep_asking(api, start):
    replica = start(*QUICK, "--leaf-life", "9s", "--clock-margin", "0").wait_until_ready()
    with steady_clients(api, replica):
        replica.wait_for_event(SERVES, count=3)


def test_the_ca_is_renewed_and_the_old_one_goes(api, start):
    replica = start(*QUICK, "--ca-life", "45s", "--leaf-life", "9s", "--clock-margin", "0").wait_until_ready()
    (first,) = certificates(published(api))
    with steady_clients(api, replica):
        # Half a minute until the CA is old, and the life of a certificate more.
        eventually(lambda: replica.events("CA rotation: the previous CAs are no longer trusted"), "the old one goes", 120)
        eventually(lambda: len(certificates(published(api))) == 1, "one CA is published")
    assert first not in certificates(published(api))


# What happens to the Secret


@pytest.mark.parametrize("loss", ["deleted", "emptied"])
def test_a_lost_secret_is_created_again_and_no_client_is_interrupted(api, start, loss):
    replicas = [start(*QUICK).wait_until_ready() for _ in range(2)]
    (before,) = certificates(published(api))
    with steady_clients(api, *replicas):
        if loss == "deleted":
            api.delete(SECRET)
        else:
            api.edit(SECRET, lambda secret: secret.pop("data"))
        eventually(lambda: api.get(SECRET) and "ca.crt" in data(api), "there is a CA")
        wait_until_all_follow(api, replicas)
    assert before in certificates(published(api)) and len(certificates(published(api))) == 2


GARBAGE = {"garbage": "ca.crt", "no key": "ca.key"}


@pytest.mark.parametrize("kind", GARBAGE)
def test_a_broken_secret_is_named_and_left_alone(api, replica, kind):
    def spoil(secret):
        if kind == "garbage":
            secret["data"]["ca.crt"] = base64.b64encode(b"garbage").decode()
        else:
            del secret["data"]["ca.key"]

    with steady_clients(api, replica):
        api.edit(SECRET, spoil)
        message = replica.wait_for_event(TROUBLE)["message"]
        assert message.startswith("Secret tfconfig-system/tfconfig-webhook-ca: ") and GARBAGE[kind] in message
        assert message.endswith("delete it to have it created again")
        assert replica.is_ready()
        spoiled, patches = api.get(SECRET)["data"], len(api.seen(is_patch))
        await_two_looks(api, SECRET, REGISTRATION)
        assert replica.metrics()["certificates_in_trouble"] == 1 and replica.is_ready()
        assert api.get(SECRET)["data"] == spoiled and len(api.seen(is_patch)) == patches
        # As the message says.
        api.delete(SECRET)
        replica.wait_for_event("the certificates are in order again")
        eventually(lambda: "ca.crt" in data(api), "there is a CA")


def test_a_strangers_ca_never_signs_a_certificate(api, start):
    stranger = Authority("a stranger")
    pair = {"ca.crt": stranger.pem.decode(), "ca.key": stranger.key_pem.decode()}
    api.put(SECRET, {"data": {name: base64.b64encode(text.encode()).decode() for name, text in pair.items()}})
    replica = start()
    assert 'ca.crt: it holds a certificate of "a stranger"' in replica.wait_for_event(TROUBLE)["message"]
    await_two_looks(api, SECRET, REGISTRATION)
    assert replica.not_ready() == "there is no certificate yet"
    assert data(api) == pair and set(bundles(api)) == {""}


# What happens to the API server


def test_the_api_server_may_be_away(api, replica):
    with steady_clients(api, replica):
        api.stop()
        replica.wait_for_event(TROUBLE)
        assert replica.is_ready()
        api.start()
        ask_for_rotation(api)
        replica.wait_for_event(PROMOTED, count=2)


def test_what_it_may_not_do_is_named(api, start):
    api.role["patch"] = {SECRET}
    replica = start()
    message = replica.wait_for_event(TROUBLE)["message"]
    assert message.startswith("publish: PATCH /apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/")
    assert "403" in message
    api.role["patch"] = {SECRET, REGISTRATION}
    replica.wait_until_ready()


def test_without_watches_it_works_and_says_so(api, start):
    api.role["watch"] = set()
    replica = start().wait_until_ready()
    eventually(lambda: "changes are noticed late: " in "".join(event["message"] for event in replica.events(TROUBLE)),
               "it says so")
    assert replica.is_ready()


def test_trouble_is_reported_once(api, start):
    with api.fail(503):
        replica = start()
        api.wait_for(is_get, count=4)
        assert len(replica.events(TROUBLE)) == 1
    replica.wait_until_ready()


def test_a_faster_replica_is_not_trouble(api, start):
    api.disturb_next_patch(SECRET)
    api.disturb_next_patch(REGISTRATION)
    replica = start().wait_until_ready()
    assert replica.events(TROUBLE) == []


def test_it_stops_while_the_api_server_hangs(api, start):
    with api.hang(where=is_get):
        replica = start()
        api.wait_for(is_get)
        assert replica.stop() == 0


def test_when_nothing_happens_it_asks_little(api, replica):
    await_two_looks(api, SECRET, REGISTRATION)  # what it did to become ready is seen by then
    gets, patches = (len(api.seen(where)) for where in (is_get, is_patch))
    api.touch(SECRET)
    api.touch(REGISTRATION)
    # One look for both, or one for each, and one that was due before: a look is two requests.
    api.wait_for(is_get, gets + 2)
    with pytest.raises(AssertionError, match="still not so"):
        api.wait_for(is_get, gets + 6 + 1, patience=QUIET)
    assert len(api.seen(is_patch)) == patches


# Keys


@pytest.mark.skipif(SANITIZED, reason="a sanitizer maps more memory than can be read")
def test_the_cas_key_stays_in_no_memory_and_no_log(api, start):
    replica = start("--log-level", "debug").wait_until_ready()
    replica.leaf()
    pem = data(api)["ca.key"]
    body = "".join(pem.splitlines()[1:-1])
    der = base64.b64decode(body)
    stored = api.get(SECRET)["data"]["ca.key"]
    # PKCS #8 of a P-256 key: the 32 bytes of the private number are 36 bytes in.
    marks = {der[36:68], pem.splitlines()[1][:48].encode(), stored[100:148].encode()}
    assert holds(replica.process.pid, marks) == set()
    assert replica.stop() == 0
    assert not [mark for mark in marks if mark in "".join(replica.lines).encode()]


def dumps_core(process):
    """Aborts a process that has every right to leave a core dump; whether it did."""
    resource.prlimit(process.pid, resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    process.send_signal(signal.SIGABRT)
    _, status = os.waitpid(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == -signal.SIGABRT
    return os.WCOREDUMP(status)


def test_a_crash_leaves_no_core_dump(api, tmp_path, monkeypatch):
    monkeypatch.setenv("PROGRAM", os.path.abspath(program_path()))
    monkeypatch.chdir(tmp_path)  # where the dumps go, and go away
    with subprocess.Popen(["sleep", "inf"]) as other:
        if not dumps_core(other):
            pytest.skip("here nobody leaves a core dump")
    install(api)
    replica = Replica(api)
    try:
        assert not dumps_core(replica.wait_until_ready().process)
    finally:
        replica.process.kill()
        replica.process.wait()
