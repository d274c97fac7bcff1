# SPDX-License-Identifier: Apache-2.0
"""TLS: versions, failed handshakes, and certificates that change while the server serves."""

import contextlib
import signal
import socket
import ssl

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import rsa
from server_harness import (MIB, NO_CLUSTER, SANITIZED, Load, Pair, eventually, is_closed, pair, pod_review,  # noqa: F401
                            post, read_answer, serve, server)


def old_context(version):
    """A client that speaks this version alone, and would take any cipher."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version = context.maximum_version = version
    return context


def serial_of(server):
    """The serial of the certificate that a new connection is greeted with."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    with server.tls(context=context) as sock:
        return x509.load_der_x509_certificate(sock.getpeercert(binary_form=True)).serial_number


@pytest.mark.parametrize("version, name", [(ssl.TLSVersion.TLSv1_2, "TLSv1.2"), (ssl.TLSVersion.TLSv1_3, "TLSv1.3")])
def test_tls_1_2_and_1_3_are_spoken(server, version, name):
    context = server.context()
    context.minimum_version = context.maximum_version = version
    with server.tls(context=context) as sock:
        assert sock.version() == name
        assert sock.selected_alpn_protocol() == "http/1.1"
        for _ in range(3):
            sock.sendall(post(pod_review()))
            assert read_answer(sock).status == 200
    server.wait_for_metric("connections", 0)
    assert server.metrics()["tls_handshake_failures_total"] == 0


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_an_rsa_certificate_serves_as_well(serve, tmp_path, version):
    server = serve(pair=Pair(tmp_path / "rsa", key=rsa.generate_private_key(65537, 2048)))
    context = server.context()
    context.minimum_version = context.maximum_version = version
    with server.tls(context=context) as sock:
        sock.sendall(post(pod_review()))
        assert read_answer(sock).status == 200


@pytest.mark.parametrize("ciphers", ["AES128-SHA", "AES128-GCM-SHA256", "AES256-GCM-SHA384", "ECDHE-RSA-AES128-SHA",
                                     "ECDHE-ECDSA-AES128-SHA256", "ECDHE-RSA-AES256-SHA384", "kRSA", "kDHE",
                                     "AES128-CCM:ECDHE-ECDSA-AES128-CCM"])
def test_ciphers_without_forward_secrecy_or_integrity_of_their_own_are_refused(serve, tmp_path, ciphers):
    for key in (rsa.generate_private_key(65537, 2048), None):
        server = serve(pair=Pair(tmp_path / f"pair-{key is None}", key=key))
        context = old_context(ssl.TLSVersion.TLSv1_2)
        context.set_ciphers(ciphers + ":@SECLEVEL=0")
        with pytest.raises(OSError):
            server.tls(context=context)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1])
def test_older_versions_are_refused_and_counted(server, version):
    with pytest.raises(OSError):
        server.tls(context=old_context(version))
    server.wait_for_metric("tls_handshake_failures_total", 1)


def test_no_session_is_resumed(server):
    context = server.context()
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    with server.tls(context=context) as sock:
        session = sock.session
    with context.wrap_socket(server.tcp(), server_hostname="localhost", session=session) as sock:
        assert not sock.session_reused


def test_failed_handshakes_are_counted_exactly_and_logged_at_debug(serve):
    server = serve("--log-level", "debug")
    for garbage in (b"", b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\xff\xff" + b"\0" * 100, b"\x80" * 500):
        with server.tcp() as sock:
            sock.sendall(garbage)
    untrusting = ssl.create_default_context()
    for _ in range(3):
        with pytest.raises(ssl.SSLError):
            server.tls(context=untrusting)
    server.review(pod_review())
    server.wait_for_metric("connections", 0)
    assert server.metrics()["tls_handshake_failures_total"] == 7
    server.wait_for_event("TLS handshake failed", 7)
    events = server.events("TLS handshake failed")
    assert len(events) == 7
    assert all(event["level"] == "debug" and event["client"].rpartition(":")[0].endswith("127.0.0.1") for event in events)


def client_hello(size):
    """Records of a ClientHello of so many bytes, as far as they go without its end."""
    message = b"\x01" + (size + 1).to_bytes(3, "big") + b"\x03\x03" + b"x" * (size - 6)
    pieces = [message[i:i + 16384] for i in range(0, len(message), 16384)]
    return b"".join(b"\x16\x03\x01" + len(piece).to_bytes(2, "big") + piece for piece in pieces)


def test_a_handshake_without_end_is_cut_before_it_takes_memory(serve):
    server = serve("--request-timeout", "3600s")
    before = server.memory()
    for _ in range(4):
        with server.tcp() as sock:
            with contextlib.suppress(OSError):  # cut while it sends
                sock.sendall(client_hello(12 * MIB))
            assert is_closed(sock)
            if not SANITIZED:
                assert server.memory() < before + 4 * MIB
    server.wait_for_metric("tls_handshake_failures_total", 4)
    assert server.metrics()["connections_timed_out_total"] == 0


def test_failed_handshakes_are_not_logged_at_info(server):
    with server.tcp() as sock:
        sock.sendall(b"garbage, much of it")
    server.wait_for_metric("tls_handshake_failures_total", 1)
    server.stop()
    assert [event["msg"] for event in server.events()] == [NO_CLUSTER, "serving", "draining", "stopped"]


def test_sighup_serves_a_new_certificate_and_old_connections_live_on(server, tmp_path):
    other = Pair(tmp_path / "other", ends=5 * 86400)
    with server.tls() as sock:
        server.pair.replace(other)
        server.signal(signal.SIGHUP)
        server.wait_for_event("certificate reloaded")
        assert serial_of(server) == other.leaf.serial_number
        sock.sendall(post(pod_review()))
        assert read_answer(sock).status == 200
    metrics = server.metrics()
    assert metrics['certificate_reloads_total{result="success"}'] == 1
    assert metrics["certificate_expiry_timestamp_seconds"] == other.leaf.not_valid_after_utc.timestamp()


def test_a_change_of_the_files_is_noticed_without_a_signal(serve, tmp_path):
    server = serve("--reload-interval", "1s")
    other = Pair(tmp_path / "other")
    server.pair.replace(other)
    server.wait_for_event("certificate reloaded")
    assert serial_of(server) == other.leaf.serial_number


def test_a_broken_pair_is_tried_once_and_not_again_until_it_changes(serve, tmp_path):
    server = serve("--reload-interval", "1s", "--request-timeout", "3s")
    broken = tmp_path / "broken"
    broken.write_text("no key")
    broken.rename(server.pair.key)  # in one step: an empty file would be another failure
    server.wait_for_event("certificate not reloaded, the previous one stays in use")
    with server.tcp() as sock:
        assert is_closed(sock)  # three seconds, as the server counts them
    assert server.metrics()['certificate_reloads_total{result="failure"}'] == 1
    other = Pair(tmp_path / "other")
    server.pair.replace(other)
    server.wait_for_event("certificate reloaded")
    failures = server.metrics()['certificate_reloads_total{result="failure"}']
    assert 1 <= failures <= 2  # a look may fall between the two files


def break_certificate(mine, other):
    mine.certificate.write_text("-----BEGIN CERTIFICATE-----\nbm9uc2Vuc2U=\n-----END CERTIFICATE-----\n")


def break_key(mine, other):
    mine.key.write_text("")


def mismatch(mine, other):
    mine.key.write_bytes(other.key.read_bytes())


def remove(mine, other):
    mine.certificate.unlink()


@pytest.mark.parametrize("damage, culprit", [(break_certificate, "tls.crt"), (break_key, "tls.key"),
                                             (mismatch, "are not a pair"), (remove, "tls.crt: No such file")])
def test_a_broken_pair_is_refused_and_the_old_one_serves_on(server, tmp_path, damage, culprit):
    before = serial_of(server)
    damage(server.pair, Pair(tmp_path / "other"))
    server.signal(signal.SIGHUP)
    event = server.wait_for_event("certificate not reloaded, the previous one stays in use")
    assert event["level"] == "error" and culprit in event["message"]
    assert serial_of(server) == before
    metrics = server.metrics()
    assert metrics['certificate_reloads_total{result="failure"}'] == 1
    assert metrics['certificate_reloads_total{result="success"}'] == 0
    assert server.page("/readyz").status == 200


def test_reloads_under_load_lose_no_request(server, tmp_path):
    pairs = [Pair(tmp_path / "same-key-a"), Pair(tmp_path / "b")]
    # Clients trust whatever they meet: the certificate is another one every moment.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    server.context = lambda: context
    load = Load(server)
    for i in range(20):
        server.pair.replace(pairs[i % 2])
        server.signal(signal.SIGHUP)
        server.wait_for_event("certificate reloaded", i + 1)
        assert serial_of(server) == pairs[i % 2].leaf.serial_number
        load.wait_for_answers(10)
    load.stop()
    assert load.failures == []
    assert server.metrics()["tls_handshake_failures_total"] == 0


def test_new_connections_during_reloads_lose_no_handshake(server, tmp_path):
    pairs = [Pair(tmp_path / "a"), Pair(tmp_path / "b")]
    for i in range(40):
        server.pair.replace(pairs[i % 2])
        server.signal(signal.SIGHUP)
        serial_of(server)  # races with the reload: either certificate, never none
    server.wait_for_metric("connections", 0)
    assert server.metrics()["tls_handshake_failures_total"] == 0


OUT_OF_DATE = [(-7200, -3600, "the certificate has expired"), (3600, 7200, "the certificate is not valid yet")]


@pytest.mark.parametrize("begins, ends, problem", OUT_OF_DATE)
def test_a_certificate_out_of_date_serves_with_a_warning_but_is_not_ready(serve, tmp_path, begins, ends, problem):
    server = serve(pair=Pair(tmp_path / "late", begins=begins, ends=ends))
    assert server.wait_for_event(problem)["level"] == "warning"
    answer = server.page("/readyz")
    assert (answer.status, answer.body.decode()) == (503, problem + "\n")
    assert server.page("/healthz").status == 200
    server.pair.replace(Pair(tmp_path / "fresh"))
    server.signal(signal.SIGHUP)
    server.wait_for_event("certificate reloaded")
    assert server.page("/readyz").status == 200


@pytest.mark.parametrize("begins, ends, problem", OUT_OF_DATE)
def test_a_pair_out_of_date_does_not_replace_a_valid_one(server, tmp_path, begins, ends, problem):
    before = serial_of(server)
    server.pair.replace(Pair(tmp_path / "late", begins=begins, ends=ends))
    server.signal(signal.SIGHUP)
    event = server.wait_for_event("certificate not reloaded, the previous one stays in use")
    assert event["level"] == "error"
    assert event["message"].endswith(f"tls.crt: {problem}, and the previous one is still valid")
    assert serial_of(server) == before
    assert server.metrics()['certificate_reloads_total{result="failure"}'] == 1
    assert server.page("/readyz").status == 200


def test_a_pair_that_was_not_valid_yet_is_tried_again_by_itself(serve, tmp_path):
    server = serve("--reload-interval", "1s")
    before = serial_of(server)
    soon = Pair(tmp_path / "soon", begins=8, ends=3600)  # after the looks of this test, on a busy machine too
    server.pair.replace(soon)
    server.wait_for_event("certificate not reloaded, the previous one stays in use")
    assert serial_of(server) == before
    server.wait_for_event("certificate reloaded")
    assert serial_of(server) == soon.leaf.serial_number


def test_among_expired_pairs_the_new_one_serves(serve, tmp_path):
    server = serve(pair=Pair(tmp_path / "late", begins=-7200, ends=-3600))
    later = Pair(tmp_path / "later", begins=-7200, ends=-1800)
    server.pair.replace(later)
    server.signal(signal.SIGHUP)
    server.wait_for_event("certificate reloaded")
    assert serial_of(server) == later.leaf.serial_number


def test_plain_http_to_the_tls_port_is_closed(server):
    with server.tcp() as sock:
        sock.sendall(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
        assert is_closed(sock)
    server.wait_for_metric("tls_handshake_failures_total", 1)


def test_a_client_that_goes_away_mid_request_harms_nobody(server):
    for cut in (1, 20, 100, 400):
        sock = server.tls()
        sock.sendall(post(pod_review(padding=1000))[:cut])
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # a reset, no orderly end
        sock.close()
    server.wait_for_metric("connections", 0)
    eventually(lambda: server.metrics()["admission_in_flight"] == 0, "nothing in flight")
    assert server.review(pod_review()).status == 200
