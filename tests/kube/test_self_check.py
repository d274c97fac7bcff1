# SPDX-License-Identifier: Apache-2.0
"""The check of a replica's own certificate, as the API server would do it."""

import socket
import ssl
import threading

import pytest

from kube.authority import Authority
from kube.driver import Driver

NAME = "tfconfig-webhook.tfconfig-system.svc"


@pytest.fixture
def driver(api):
    driver = Driver(api.folder.path, api.env)
    yield driver
    driver.end()


@pytest.fixture
def authority():
    return Authority("tfconfig-webhook CA")


@pytest.fixture
def bundle(tmp_path, authority):
    path = tmp_path / "bundle.pem"
    path.write_bytes(authority.pem)
    return path


class TlsServer:
    """Shakes hands and hangs up; without a context it never speaks."""

    def __init__(self, context, host="127.0.0.1"):
        self.names = []  # that clients asked for
        self.context = context
        if context:
            context.sni_callback = lambda sock, name, context: self.names.append(name)
        self._open = []
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._listener = socket.create_server((host, 0), family=family)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        while True:
            try:
                sock = self._listener.accept()[0]
                if self.context:
                    self.context.wrap_socket(sock, server_side=True).close()
                else:
                    self._open.append(sock)
            except ssl.SSLError:
                pass
            except OSError:
                return

    def stop(self):
        self._listener.shutdown(socket.SHUT_RDWR)  # ends an accept, which close() alone would not
        self._listener.close()
        for sock in self._open:
            sock.close()


@pytest.fixture
def serve(tmp_path, authority):
    """Starts servers with a certificate for names, by default the right one."""
    servers = []

    def start(*names, by=authority, host="127.0.0.1", **dates):
        context = by.server_context(tmp_path / "leaf.pem", *(names or (NAME,)), **dates) if by else None
        servers.append(TlsServer(context, host))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


def test_the_right_ca_and_name_pass(driver, serve, bundle):
    server = serve()
    for _ in range(3):
        assert driver.check("127.0.0.1", server.port, NAME, bundle) == "ok"
    assert server.names == [NAME] * 3


def test_one_right_ca_in_the_bundle_is_enough(driver, serve, bundle, authority):
    bundle.write_bytes(Authority("another").pem + authority.pem + Authority(authority.name).pem)
    assert driver.check("127.0.0.1", serve().port, NAME, bundle) == "ok"


def test_ipv6(driver, serve, bundle):
    try:
        server = serve(host="::1")
    except OSError:
        pytest.skip("this machine has no IPv6")
    assert driver.check("::1", server.port, NAME, bundle) == "ok"


def test_another_ca_fails(driver, serve, bundle):
    server = serve(by=Authority("tfconfig-webhook CA"))
    problem = driver.check("127.0.0.1", server.port, NAME, bundle)
    assert problem.startswith(f"{NAME} at 127.0.0.1, port {server.port}: ")
    assert "certificate" in problem


@pytest.mark.parametrize("dates", [{"begins": -7200, "ends": -3600}, {"begins": 3600, "ends": 7200}])
def test_a_certificate_out_of_date_fails(driver, serve, bundle, dates):
    problem = driver.check("127.0.0.1", serve(**dates).port, NAME, bundle)
    assert "expired" in problem or "not yet valid" in problem


def test_another_name_fails(driver, serve, bundle):
    server = serve("tfconfig-webhook.other.svc", "tfconfig-webhook", "127.0.0.1")
    assert "tfconfig-webhook.tfconfig-system.svc" in driver.check("127.0.0.1", server.port, NAME, bundle)


@pytest.mark.parametrize("text", ["", "no PEM", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
def test_a_bundle_without_a_certificate_fails(driver, serve, bundle, text):
    bundle.write_text(text)
    assert NAME in driver.check("127.0.0.1", serve().port, NAME, bundle)


def test_a_server_that_never_speaks_fails_in_time(driver, serve, bundle):
    assert "timed out" in driver.check("127.0.0.1", serve(by=None).port, NAME, bundle).lower()


def test_no_server_fails(driver, bundle):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    assert "connect" in driver.check("127.0.0.1", port, NAME, bundle)


def test_no_proxy_is_asked(api, serve, bundle):
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        url = f"http://127.0.0.1:{proxy.getsockname()[1]}"
        driver = Driver(api.folder.path, {**api.env, "https_proxy": url, "ALL_PROXY": url, "NO_PROXY": ""})
        assert driver.check("127.0.0.1", serve().port, NAME, bundle) == "ok"
        driver.end()
        proxy.setblocking(False)
        with pytest.raises(BlockingIOError):
            proxy.accept()
