# SPDX-License-Identifier: Apache-2.0
"""The client of the Kubernetes API: requests, watches, and how it copes with an API server in trouble."""

import base64
import json
import pathlib
import re
import secrets
import socket
import ssl

import pytest

from kube.driver import APPLY, JSON_PATCH, SANITIZED, Driver
from kube.fake_api_server import REGISTRATION, SECRET, ApiError, FakeApiServer, is_watch
from kube.memory import holds

TIMED_OUT = re.compile(r"timed? ?out", re.IGNORECASE)


@pytest.fixture
def connect():
    """Starts drivers against an API server, and checks that each ends well."""
    drivers = []

    def start(api, timeout=10, **environment):
        drivers.append(Driver(api.folder.path, {**api.env, **environment}, timeout))
        return drivers[-1]

    yield start
    for driver in drivers:
        driver.end()


@pytest.fixture
def driver(api, connect):
    return connect(api)


@pytest.fixture
def secret(api):
    """The path of a Secret that exists."""
    api.put(SECRET, {"data": {"key": "dmFsdWU="}})
    return api.path(SECRET)


def patch(*operations):
    return json.dumps([dict(zip(("op", "path", "value"), operation)) for operation in operations])


# Requests


def test_the_pods_environment_and_folder_are_used(api, driver):
    assert driver.server == f"https://127.0.0.1:{api.port}"
    assert driver.namespace == "tfconfig-system"


def test_an_object_is_read(api, driver, secret):
    status, body = driver.show(secret)
    assert (status, json.loads(body)) == ("ok", api.get(SECRET))
    (request,) = api.requests
    assert (request.method, request.path, request.query, request.body) == ("GET", secret, {}, b"")
    assert request.headers["accept"] == "application/json"
    assert re.fullmatch(r"tfconfig-webhook/\d+\.\d+\.\d+", request.headers["user-agent"])
    assert "content-type" not in request.headers and "expect" not in request.headers


def test_a_list_is_read_with_its_query(api, driver, secret):
    status, body = driver.show(api.list_path(SECRET))
    assert (status, json.loads(body)["items"]) == ("ok", [api.get(SECRET)])
    assert api.requests[0].query == {"fieldSelector": "metadata.name=tfconfig-webhook-ca"}


def test_an_object_is_patched(api, driver, secret):
    version = api.get(SECRET)["metadata"]["resourceVersion"]
    body = patch(("test", "/metadata/resourceVersion", version), ("add", "/data/more", "bW9yZQ=="))
    assert driver.send("PATCH", secret, JSON_PATCH, body)[0] == "ok"
    assert api.get(SECRET)["data"] == {"key": "dmFsdWU=", "more": "bW9yZQ=="}
    assert api.requests[0].headers["content-type"] == JSON_PATCH


def test_a_large_body_is_sent_at_once(api, driver, secret):
    value = base64.b64encode(b"x" * 900_000).decode()
    body = patch(("add", "/data/large", value))
    assert len(body) > 1024 * 1024  # from here on libcurl would wait for a 100 first
    assert driver.send("PATCH", secret, JSON_PATCH, body)[0] == "ok"
    assert api.get(SECRET)["data"]["large"] == value
    assert "expect" not in api.requests[0].headers


def test_a_missing_object_is_applied(api, driver):
    body = json.dumps({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "tfconfig-webhook-ca"}})
    path = f"{api.path(SECRET)}?fieldManager=tfconfig-webhook"
    assert driver.send("PATCH", path, APPLY, body)[0] == "ok"
    assert api.requests[0].status == 201
    assert api.get(SECRET)["type"] == "Opaque"


def test_requests_share_a_connection(api, driver, secret):
    for _ in range(5):
        assert driver.get(secret)[0] == "ok"
    assert len({request.connection for request in api.requests}) == 1


def test_a_connection_that_was_closed_meanwhile_costs_no_request(api, driver, secret):
    for _ in range(3):
        assert driver.get(secret)[0] == "ok"
        api.drop_connections()
    assert len({request.connection for request in api.requests}) == 3


# Answers


@pytest.mark.parametrize("code, status", [
    (302, "refused"), (400, "refused"), (401, "forbidden"), (403, "forbidden"), (404, "not-found"), (405, "refused"),
    (408, "unavailable"), (409, "conflict"), (410, "gone"), (422, "refused"), (429, "unavailable"),
    (500, "unavailable"), (503, "unavailable"), (504, "unavailable"),
])
def test_a_code_has_its_status_and_message(api, driver, secret, code, status):
    with api.fail(code, "because of this"):
        assert driver.get(f"{secret}?pretty=true") == (status, f"GET {secret}: HTTP {code}: because of this")
    assert driver.get(secret)[0] == "ok"
    assert len(api.requests) == 2


def test_a_role_is_respected_in_words(api, driver):
    status, message = driver.send("POST", api.list_path(SECRET).partition("?")[0], "application/json", "{}")
    assert status == "forbidden"
    assert 'HTTP 403: secrets is forbidden: User "system:serviceaccount:tfconfig-system:' in message
    assert 'cannot create resource "secrets"' in message


def test_a_patch_whose_test_fails_is_a_conflict(api, driver, secret):
    body = patch(("test", "/metadata/resourceVersion", "1"), ("add", "/data/more", "bW9yZQ=="))
    status, message = driver.send("PATCH", secret, JSON_PATCH, body)
    assert status == "conflict"
    assert message == f"PATCH {secret}: HTTP 422: the server rejected our request due to an error in our request"


def test_another_client_that_is_faster_makes_a_conflict(api, driver, secret):
    version = api.get(SECRET)["metadata"]["resourceVersion"]
    body = patch(("test", "/metadata/resourceVersion", version), ("add", "/data/more", "bW9yZQ=="))
    api.disturb_next_patch(SECRET)
    assert driver.send("PATCH", secret, JSON_PATCH, body)[0] == "conflict"
    assert "more" not in api.get(SECRET)["data"]


def test_a_patch_that_makes_the_object_invalid_is_refused(api, driver, secret):
    status, message = driver.send("PATCH", secret, JSON_PATCH, patch(("add", "/data/a key", "bW9yZQ==")))
    assert status == "refused"
    assert "HTTP 422: Secret" in message and "alphanumeric" in message


def test_truncated_json_is_passed_on_unchanged(api, driver, secret):
    with api.garble():
        assert driver.show(secret) == ("ok", '{"kind":"Secret","metadata":{"name":')


@pytest.mark.parametrize("body", [b"", b"<html>busy</html>", b"{", b"[]", b"null", b'"text"', b'{"message":7}',
                                  b'{"message":"\xff"}', b"\0", b"[" * 5000, b'{"message":"' + b"x" * 70000 + b'"}'])
def test_a_failure_without_a_message_is_reported_by_its_code(api, driver, secret, body):
    with api.say(body, code=500):
        assert driver.get(secret) == ("unavailable", f"GET {secret}: HTTP 500")


def test_a_message_is_one_clean_line(api, driver, secret):
    with api.fail(500, "one\ntwo\r\n\x1b[31mthree\x7f\u009b four\u20ac"):
        assert driver.get(secret)[1].endswith(": HTTP 500: one?two???[31mthree??? four\u20ac")


def test_a_long_message_is_cut_between_characters(api, driver, secret):
    path = f"/api/v1/namespaces/{'n' * 300}/secrets/name"
    with api.fail(404, "\u20ac " * 1000):
        message = driver.get(path)[1]
    assert re.fullmatch(r"GET /api/v1/namespaces/n+\.\.\.: HTTP 404: (\u20ac )+\u20ac?", message)
    assert 400 < len(message.encode()) < 512


def test_a_key_that_is_quoted_back_is_not_repeated(api, driver, secret):
    key = base64.b64encode(b"-----BEGIN PRIVATE KEY-----" * 4).decode()
    with api.fail(400, f'patch: Invalid value: "{{\\"ca.key\\":\\"{key}\\"}}": no'):
        message = driver.get(secret)[1]
    assert key[:16] not in message
    assert message.endswith('{\\"ca.key\\":\\"...\\"}": no')


def test_a_redirect_is_not_followed(api, driver, secret):
    with api.say(b"", code=307):
        assert driver.get(secret) == ("refused", f"GET {secret}: HTTP 307")
    assert len(api.requests) == 1


# An API server in trouble


def test_an_answer_without_end_is_cut_off(api, connect, secret):
    driver = connect(api, timeout=600)
    with api.flood():
        assert driver.get(secret) == ("too-large", f"GET {secret}: the answer is too large")
    assert driver.get(secret)[0] == "ok"


def test_the_largest_answer_fits(api, driver, secret):
    with api.say(b"x" * (4 * 1024 * 1024)):
        assert driver.get(secret) == ("ok", str(4 * 1024 * 1024))


def test_an_answer_that_breaks_off_does_not_count(api, driver, secret):
    with api.cut():
        status, message = driver.get(secret)
    assert status == "unavailable"
    assert message.startswith(f"GET {secret}: ")
    assert driver.get(secret)[0] == "ok"


def test_an_api_server_that_does_not_answer_is_given_up(api, connect, secret):
    driver = connect(api, timeout=1)
    with api.hang():
        status, message = driver.get(secret)
    assert status == "unavailable"
    assert TIMED_OUT.search(message)
    assert driver.get(secret)[0] == "ok"


def test_an_api_server_that_never_speaks_is_given_up(api, connect, secret):
    driver = connect(api, timeout=600)  # what does not connect at all has 3 s
    api.set_mute(True)
    status, message = driver.get(secret)
    assert status == "unavailable"
    assert TIMED_OUT.search(message)
    api.set_mute(False)
    assert driver.get(secret)[0] == "ok"


def test_an_api_server_that_is_away_comes_back(api, driver, secret):
    assert driver.get(secret)[0] == "ok"
    api.stop()
    for _ in range(3):
        status, message = driver.get(secret)
        assert status == "unavailable"
        assert "connect" in message
    api.start()
    assert driver.get(secret)[0] == "ok"


def test_a_name_that_does_not_resolve_is_reported(api, connect):
    driver = connect(api, KUBERNETES_SERVICE_HOST="kubernetes.invalid")
    status, message = driver.get("/api")
    assert status == "unavailable"
    assert "resolve" in message


# Who is trusted, and as whom it speaks


def test_the_token_is_read_for_each_request(api, driver, secret):
    assert driver.get(secret)[0] == "ok"
    api.rotate_token(write=False)
    assert driver.get(secret) == ("forbidden", f"GET {secret}: HTTP 401: Unauthorized")
    api.write_token()
    assert driver.get(secret)[0] == "ok"


def test_blanks_around_the_token_do_not_count(api, driver, secret):
    api.folder.write(token=f" {api.token}\r\n".encode())
    assert driver.get(secret)[0] == "ok"


@pytest.mark.parametrize("token, problem", [
    (b"", "token is empty"), (b"\n", "token is empty"), (b"two words", "token does not hold a token"),
    (b"one\r\nX-Remote-User: admin", "token does not hold a token"), (b"nul\0", "token does not hold a token"),
    (b"x" * 70000, "token has more than 65536 bytes"),
])
def test_an_invalid_token_is_not_sent(api, driver, secret, token, problem):
    api.folder.write(token=token)
    status, message = driver.get(secret)
    assert status == "unavailable"
    assert message.endswith(problem)
    assert api.requests == []


def test_a_token_that_is_missing_may_come_back(api, driver, secret):
    link = api.folder.path / "token"
    link.rename(api.folder.path / "elsewhere")
    status, message = driver.get(secret)
    assert status == "unavailable"
    assert message == f"GET {secret}: cannot read {link}: No such file or directory"
    (api.folder.path / "elsewhere").rename(link)
    assert driver.get(secret)[0] == "ok"


def test_an_api_server_of_another_ca_is_refused_until_the_file_names_it(api, driver, secret):
    assert driver.get(secret)[0] == "ok"
    count = len(api.requests)
    api.rotate_ca(write=False)
    api.drop_connections()
    status, message = driver.get(secret)
    assert status == "unavailable"
    assert "certificate" in message
    assert len(api.requests) == count
    api.folder.write(ca_crt=api.authority.pem)
    assert driver.get(secret)[0] == "ok"


def test_an_api_server_of_another_name_is_refused(api, driver, secret, tmp_path):
    api.context = api.authority.server_context(tmp_path / "other.pem", "other.example", "127.0.0.2")
    status, message = driver.get(secret)
    assert status == "unavailable"
    assert "127.0.0.1" in message
    assert api.requests == []


def test_an_api_server_of_yesterday_is_refused(api, driver, secret, tmp_path):
    api.context = api.authority.server_context(tmp_path / "old.pem", "127.0.0.1", begins=-7200, ends=-3600)
    status, message = driver.get(secret)
    assert status == "unavailable"
    assert "expired" in message
    assert api.requests == []


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_old_tls_is_refused(api, driver, secret):
    api.context.set_ciphers("ALL:@SECLEVEL=0")
    api.context.minimum_version = ssl.TLSVersion.TLSv1
    api.context.maximum_version = ssl.TLSVersion.TLSv1_1
    assert driver.get(secret)[0] == "unavailable"
    assert api.requests == []
    api.context.maximum_version = ssl.TLSVersion.TLSv1_2
    assert driver.get(secret)[0] == "ok"


def test_no_proxy_is_asked(api, connect, secret):
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        url = f"http://127.0.0.1:{proxy.getsockname()[1]}"
        driver = connect(api, https_proxy=url, HTTPS_PROXY=url, ALL_PROXY=url, all_proxy=url, http_proxy=url,
                         NO_PROXY="", no_proxy="")
        assert driver.get(secret)[0] == "ok"
        proxy.setblocking(False)
        with pytest.raises(BlockingIOError):
            proxy.accept()


def test_an_ipv6_api_server_is_reached(tmp_path, connect):
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no IPv6")
    api = FakeApiServer(tmp_path, host="::1")
    api.start()
    try:
        driver = connect(api)
        assert driver.server == f"https://[::1]:{api.port}"
        assert driver.get(api.path(SECRET))[0] == "not-found"
    finally:
        api.stop()


@pytest.fixture
def key(api):
    """A Secret's value, in parts as long as those searched for, most of which are not overwritten by chance."""
    value = secrets.token_hex(10_000)
    api.put(SECRET, {"data": {"key": value}})
    return {value[at:at + 32].encode() for at in range(0, len(value) - 32, 500)}


needs_memory = pytest.mark.skipif(SANITIZED, reason="a sanitizer maps more memory than can be read")


@needs_memory
def test_neither_token_nor_answer_stays_in_memory(api, driver, key):
    token = {api.token.encode()}
    with api.hang(times=1):
        driver.say(f"send GET {api.path(SECRET)}")
        api.wait_for(lambda request: request.verb == "get")
        assert holds(driver.process.pid, token | key) == token  # so the search finds what is there
    assert driver.answer().startswith("ok ")
    assert holds(driver.process.pid, token | key) == set()


@needs_memory
def test_no_object_of_a_watch_stays_in_memory(api, driver, key):
    driver.watch(api.list_path(SECRET))
    assert driver.wait()
    api.touch(SECRET)
    api.wait_for(lambda request: request.events == 2)
    driver.take_news()
    assert holds(driver.process.pid, key) == set()


def test_a_thousand_requests_use_one_connection_and_no_more_memory(api, driver, secret):
    def resident():
        status = pathlib.Path(f"/proc/{driver.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1])

    for _ in range(200):
        assert driver.get(secret)[0] == "ok"
    before = resident()
    for _ in range(800):
        assert driver.get(secret)[0] == "ok"
    assert len({request.connection for request in api.requests}) == 1
    assert SANITIZED or resident() - before < 256


# Waking


def test_waking_cuts_a_request(api, driver, secret):
    with api.hang():
        driver.say(f"send GET {secret}")
        api.wait_for(lambda request: request.path == secret)
        driver.wake()
        assert driver.answer() == f"unavailable GET {secret}: interrupted"
    # Until a wait has taken it, so that a stop is not missed between two requests.
    assert driver.get(secret) == ("unavailable", f"GET {secret}: interrupted")
    assert driver.wait(0)
    assert driver.get(secret)[0] == "ok"
    assert not driver.wait(0)


def test_waking_ends_a_wait(driver):
    driver.say("wait 600000")
    driver.wake()
    assert driver.answer() == "true"
    assert not driver.wait(0)


def test_waking_ends_a_request_that_does_not_connect(api, connect, secret):
    driver = connect(api, timeout=600)
    api.set_mute(True)
    driver.say(f"send GET {secret}")
    driver.wake()
    assert driver.answer() == f"unavailable GET {secret}: interrupted"
    api.set_mute(False)


# Watches


def test_a_watch_reports_changes(api, driver, secret):
    driver.watch(api.list_path(SECRET))
    assert driver.wait()
    (request,) = api.wait_for(lambda request: request.events == 1)
    assert request.query["fieldSelector"] == "metadata.name=tfconfig-webhook-ca"
    assert 240 <= int(request.query["timeoutSeconds"]) <= 300
    driver.take_news()
    for change in (lambda: api.touch(SECRET), lambda: api.delete(SECRET), lambda: api.put(SECRET, {})):
        change()
        assert driver.wait()
        assert not driver.wait(100)
    assert driver.problem() == "none"
    assert len(api.requests) == 1


def test_a_watch_of_a_path_without_a_query(api, driver, secret):
    driver.watch(secret)
    assert driver.wait()
    assert set(api.requests[0].query) == {"watch", "timeoutSeconds"}


def test_a_burst_is_reported_once(api, driver, secret):
    driver.watch(api.list_path(SECRET))
    (request,) = driver.wait() and api.wait_for(lambda request: request.events == 1)
    driver.take_news()
    for _ in range(400):  # more than libcurl takes in at once
        api.touch(SECRET)
    api.wait_until(lambda: request.events == 401, "all events are sent")
    assert driver.wait()
    assert not driver.wait(100)


def test_watches_and_requests_run_side_by_side(api, driver, secret):
    api.put(REGISTRATION, {"webhooks": []})
    driver.watch(api.list_path(SECRET))
    driver.watch(api.list_path(REGISTRATION))
    assert driver.get(secret)[0] == "ok"
    driver.wait_until(lambda: len(api.seen(lambda request: request.events == 1)) == 2)
    driver.take_news()
    api.touch(REGISTRATION)
    api.wait_for(lambda request: request.resource == REGISTRATION and request.events == 2)
    assert driver.get(secret)[0] == "ok"  # takes the event in as well
    assert driver.wait(0)
    assert not driver.wait(100)
    assert len({request.connection for request in api.requests}) == 3


def test_a_client_has_four_watches(driver, api):
    for _ in range(4):
        driver.watch(api.list_path(SECRET))
    assert driver.ask(f"watch {api.list_path(SECRET)}") == "a client has at most 4 watches"


def test_a_watch_that_ends_is_opened_again(api, driver, secret):
    driver.watch(api.list_path(SECRET))
    assert driver.wait()
    for count in (2, 3):
        api.end_watches()
        driver.wait_until(lambda: len(api.seen(lambda request: request.events == 1)) == count)
    assert driver.problem() == "none"


def test_a_change_between_two_watches_is_reported(api, driver, secret):
    driver.watch(api.list_path(SECRET))
    assert driver.wait()
    driver.take_news()
    with api.hang(times=1, where=is_watch):
        api.end_watches()
        driver.say("wait 60000")
        api.wait_for(is_watch, count=2)
        api.delete(SECRET)  # which the next watch, of nothing, does not show
    assert driver.answer() == "true"
    driver.take_news()


@pytest.mark.parametrize("end", ["cut_watches", "break_watches", "drop_connections"])
def test_a_watch_that_breaks_is_opened_again(api, driver, secret, end):
    driver.watch(api.list_path(SECRET))
    assert driver.wait()
    with api.fail(503, "not yet", where=is_watch):
        getattr(api, end)()
        driver.wait_for_problem("HTTP 503: not yet")
    driver.wait_for_problem("none")
    api.touch(SECRET)
    assert driver.wait()


def test_the_reason_why_a_watch_broke_is_reported(api, driver, secret):
    driver.watch(api.list_path(SECRET))
    assert driver.wait()
    hang = api.hang(where=is_watch)
    api.break_watches()
    problem = driver.wait_for_problem("GET ")
    assert problem == f"GET {secret.rpartition('/')[0]}: too old resource version: 1 (2)"
    hang.stop()
    driver.wait_for_problem("none")


def test_a_watch_outlives_an_api_server_that_is_away(api, driver, secret):
    driver.watch(api.list_path(SECRET))
    assert driver.wait()
    api.stop()
    driver.wait_for_problem("connect")
    api.start()
    driver.wait_for_problem("none")
    assert api.seen(is_watch)[-1].status == 200


def test_a_watch_whose_answer_does_not_start_is_given_up(api, connect, secret):
    driver = connect(api, timeout=1)
    driver.watch(api.list_path(SECRET))
    with api.hang(where=is_watch):
        driver.wait_for_problem("no answer in time")
    driver.wait_for_problem("none")


def forbid(api):
    api.role["watch"] = set()
    return "HTTP 403: "


def expire(api):
    api.fail(410, "too old", where=is_watch)
    return "HTTP 410: too old"


def refuse_token(api):
    api.rotate_token(write=False)
    return "HTTP 401: Unauthorized"


def end_at_once(api):
    api.say(b"", where=is_watch)
    return "none"


def break_at_once(api):
    event = {"type": "ERROR", "object": ApiError(410, "Expired", "too old").status}
    api.say(json.dumps(event, separators=(",", ":")).encode() + b"\n", where=is_watch)
    return "too old"


def answer_without_content(api):
    api.say(b"", code=202, where=is_watch)
    return "the answer is not a watch"


@pytest.mark.parametrize("trouble", [forbid, expire, refuse_token, end_at_once, break_at_once, answer_without_content])
def test_a_watch_in_trouble_does_not_spin(api, driver, secret, trouble):
    problem = trouble(api)
    driver.watch(api.list_path(SECRET))
    driver.wait_for_problem(problem)
    for _ in range(40):
        driver.wait(50)
    # At once, where it ends in order at once again, then after 1/4 s or more, 1/2 s or more, 1 s or more.
    assert 2 <= len(api.seen(is_watch)) <= 6


def test_a_forbidden_watch_is_opened_once_it_is_allowed(api, driver, secret):
    forbid(api)
    driver.watch(api.list_path(SECRET))
    assert 'cannot watch resource "secrets"' in driver.wait_for_problem("HTTP 403")
    api.role["watch"] = {SECRET}
    driver.wait_for_problem("none")


def test_a_watch_reads_the_token_again(api, driver, secret):
    driver.watch(api.list_path(SECRET))
    assert driver.wait()
    api.rotate_token()
    api.cut_watches()
    driver.wait_until(lambda: len(api.seen(lambda request: request.status == 200)) == 2)
    assert api.seen(is_watch)[-1].token == api.token


def test_a_dead_connection_of_a_watch_would_be_noticed(api, driver, secret):
    """The kernel probes it: the socket's timer is the one for that (see proc_net_tcp.txt)."""
    driver.watch(api.list_path(SECRET))
    assert driver.wait()
    (request,) = api.wait_for(lambda request: request.events == 1)
    lines = pathlib.Path(f"/proc/{driver.process.pid}/net/tcp").read_text().splitlines()
    # By both ends: a connection of somebody else to another port may begin at the same one.
    ends = [f"0100007F:{port:04X}" for port in (request.connection, api.port)]
    (timer,) = [fields[5] for fields in map(str.split, lines[1:]) if fields[1:3] == ends]
    assert timer.startswith("02:")


def test_it_ends_with_watches_and_requests_open(api, connect, secret):
    driver = connect(api)
    driver.watch(api.list_path(SECRET))
    driver.watch(api.list_path(REGISTRATION))
    assert driver.wait()
