# SPDX-License-Identifier: Apache-2.0
"""Starts the server as a cluster would, and speaks to it over TLS, down to single bytes where a test needs them."""

import contextlib
import datetime
import http.client
import ipaddress
import json
import os
import pathlib
import re
import resource
import signal
import socket
import ssl
import subprocess
import threading
import time

import process_status
import pytest
from conftest import program_path
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

MIB = 1024 * 1024
MAX_BODY = 7 * MIB
PATIENCE = 30  # seconds until something that should happen is taken for lost; sanitizers on a busy machine are slow
NO_CLUSTER = "advice and restarts after a scale are off: this is not a pod with a service account"  # logged first of all

_BINARY = pathlib.Path(program_path()).read_bytes() if os.path.exists(program_path()) else b""
SANITIZED = b"__asan_init" in _BINARY or b"__tsan_init" in _BINARY


def eventually(condition, what, patience=PATIENCE):
    """Waits until condition() is true and returns what it returned."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        result = condition()
        if result:
            return result
        time.sleep(0.02)
    raise AssertionError(f"still not so after {patience} s: {what}")


class Pair:
    """A self-signed certificate and its key, in a folder of their own."""

    def __init__(self, folder, name="webhook", begins=-3600, ends=86400, key=None):
        folder.mkdir(parents=True, exist_ok=True)
        self.certificate = folder / "tls.crt"
        self.key = folder / "tls.key"
        key = key or ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        now = datetime.datetime.now(datetime.timezone.utc)
        names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1")),
                 x509.IPAddress(ipaddress.ip_address("::1"))]
        self.leaf = (x509.CertificateBuilder().subject_name(subject).issuer_name(subject).public_key(key.public_key())
                     .serial_number(x509.random_serial_number())
                     .not_valid_before(now + datetime.timedelta(seconds=begins))
                     .not_valid_after(now + datetime.timedelta(seconds=ends))
                     .add_extension(x509.SubjectAlternativeName(names), critical=False)
                     .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
                     .sign(key, hashes.SHA256()))
        self.certificate.write_bytes(self.leaf.public_bytes(serialization.Encoding.PEM))
        self.key.write_bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                                               serialization.NoEncryption()))

    def replace(self, other):
        """Puts another pair's files in the place of this one's, each in one step."""
        for mine, its in ((self.certificate, other.certificate), (self.key, other.key)):
            fresh = mine.with_suffix(".new")
            fresh.write_bytes(its.read_bytes())
            fresh.rename(mine)

    def flags(self):
        return ["--tls-cert", str(self.certificate), "--tls-key", str(self.key)]


def pod_review(uid="705ab4f5-6393-11e8-b7cc-42010a800002", name="web-0", padding=0):
    """A review of a pod that is none of ours: allowed as it is."""
    pod = {"apiVersion": "v1", "kind": "Pod",
           "metadata": {"name": name, "namespace": "ml", "annotations": {"padding": "x" * padding}},
           "spec": {"containers": [{"name": "main", "image": "busybox", "command": ["secret-in-the-body"]}]}}
    return json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": uid, "kind": {"group": "", "version": "v1", "kind": "Pod"},
        "resource": {"group": "", "version": "v1", "resource": "pods"},
        "name": name, "namespace": "ml", "operation": "CREATE", "object": pod, "oldObject": None}}).encode()


def stateful_set_review(inject="true", uid="ss-uid", name="trainer"):
    """A review of an annotated StatefulSet: "true" is patched, "maybe" denied."""
    stateful_set = {"apiVersion": "apps/v1", "kind": "StatefulSet",
                    "metadata": {"name": name, "namespace": "ml", "annotations": {"tfconfig.dev/inject": inject}},
                    "spec": {"serviceName": name, "replicas": 2, "selector": {"matchLabels": {"app": name}},
                             "template": {"metadata": {"labels": {"app": name}}, "spec": {
                                 "containers": [{"name": "main", "image": "busybox"}]}}}}
    return json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": uid, "kind": {"group": "apps", "version": "v1", "kind": "StatefulSet"},
        "resource": {"group": "apps", "version": "v1", "resource": "statefulsets"},
        "name": name, "namespace": "ml", "operation": "CREATE", "object": stateful_set, "oldObject": None}}).encode()


def padded(review, size):
    """The review with blanks behind it, `size` bytes in all."""
    return review + b" " * (size - len(review))


def post(body, path="/mutate?timeout=10s", headers=(("Content-Type", "application/json"),)):
    """A request's bytes, with its length announced."""
    lines = [f"POST {path} HTTP/1.1", "Host: webhook", f"Content-Length: {len(body)}",
             *(f"{name}: {value}" for name, value in headers)]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def post_chunked(body, size=64 * 1024, path="/mutate"):
    """The same in chunks."""
    head = f"POST {path} HTTP/1.1\r\nHost: webhook\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunks = [body[i:i + size] for i in range(0, len(body), size)]
    return head.encode() + b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    @property
    def json(self):
        return json.loads(self.body)["response"]


def read_answer(sock):
    """The next answer on the socket."""
    response = http.client.HTTPResponse(sock)
    response.begin()
    return Answer(response)


def is_closed(sock, patience=PATIENCE):
    """Waits until the peer has ended the connection, in whatever way; what it sends before that is thrown away."""
    sock.settimeout(patience)
    try:
        while sock.recv(65536):
            pass
    except TimeoutError:
        return False
    except OSError:
        pass
    return True


def listening_ports(pid):
    """The IPv4 ports that a process listens on, in the order of its descriptors."""
    lines = pathlib.Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]
    ports = {f"socket:[{fields[9]}]": int(fields[1].rpartition(":")[2], 16)
             for fields in map(str.split, lines) if fields[3] == "0A"}
    folder = f"/proc/{pid}/fd"
    targets = [os.readlink(f"{folder}/{fd}") for fd in sorted(os.listdir(folder), key=int)]
    return [ports[target] for target in targets if target in ports]


class Server:
    """A server that serves, at ports chosen by the system. A quiet one does not tell them in its log."""

    def __init__(self, pair, *flags, environment=None, host="127.0.0.1", quiet=False, read_log=True, descriptors=None):
        command = [program_path(), "serve", *pair.flags(), "--listen", f"{host}:0", "--metrics-listen", f"{host}:0",
                   "--drain", "0", *flags]
        self.pair = pair
        self.lines = []
        limit = descriptors and (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, descriptors))
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limit,
                                        env={**os.environ, **(environment or {})})
        self._errors = []
        self._follow_errors = self._follow(self.process.stderr, self._errors)
        if quiet:
            self.port, self.metrics_port = eventually(self._find_ports, "it listens")
        else:
            self._read_ports()
        if read_log:
            self._follow_log = self._follow(self.process.stdout, self.lines)
        if quiet:
            eventually(self._is_ready, "it serves")

    def _read_ports(self):
        for line in iter(self.process.stdout.readline, b""):
            self.lines.append(line.decode())
            event = json.loads(line)
            if event["msg"] == "serving":
                self.port = int(event["listen"].rpartition(":")[2])
                self.metrics_port = int(event["metrics_listen"].rpartition(":")[2])
                return
        self.process.kill()
        self.process.wait(PATIENCE)
        self._follow_errors.join(PATIENCE)
        raise AssertionError(f"it does not serve: {self.lines} {self.stderr}")

    def _find_ports(self):
        with contextlib.suppress(OSError):  # it has just begun, or descriptors come and go
            ports = listening_ports(self.process.pid)
            return ports if len(ports) == 2 else None

    def _is_ready(self):
        try:
            return self.page("/readyz").status == 200
        except OSError:
            return False

    @staticmethod
    def _follow(pipe, lines):
        def run():
            for line in pipe:
                lines.append(line.decode())
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        return thread

    @property
    def stderr(self):
        return "".join(self._errors)

    # The log

    def events(self, msg=None):
        events = [json.loads(line) for line in list(self.lines)]
        return [event for event in events if msg in (None, event["msg"])]

    def wait_for_event(self, msg, count=1):
        return eventually(lambda: self.events(msg)[count - 1:count], f"log line {msg!r} number {count}")[0]

    # The TLS port

    def context(self):
        context = ssl.create_default_context(cadata=self.pair.certificate.read_text())
        context.set_alpn_protocols(["http/1.1"])
        return context

    def tcp(self, host="127.0.0.1"):
        sock = socket.create_connection((host, self.port), timeout=PATIENCE)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # as Go's client does
        return sock

    def tls(self, host="127.0.0.1", context=None):
        return (context or self.context()).wrap_socket(self.tcp(host), server_hostname="localhost")

    def exchange(self, request):
        """Sends bytes over a connection of their own and returns the answer."""
        with self.tls() as sock:
            sock.sendall(request)
            return read_answer(sock)

    def review(self, body):
        return self.exchange(post(body))

    # The plain port

    def page(self, path, method="GET", host="127.0.0.1"):
        connection = http.client.HTTPConnection(host, self.metrics_port, timeout=PATIENCE)
        with contextlib.closing(connection):
            connection.request(method, path)
            return Answer(connection.getresponse())

    def metrics(self):
        text = self.page("/metrics").body.decode()
        pairs = re.findall(r"^([a-z_]+(?:\{[^}]*\})?) (\S+)$", text, re.MULTILINE)
        return {name.removeprefix("tfconfig_webhook_"): float(value) for name, value in pairs}

    def wait_for_metric(self, name, value):
        return eventually(lambda: self.metrics()[name] == value, f"metric {name} {value}")

    # The process

    def memory(self):
        """Resident bytes."""
        return process_status.memory(self.process.pid)

    def peak_memory(self):
        """The most that were resident so far."""
        return process_status.memory(self.process.pid, "VmHWM")

    def cpu_seconds(self):
        return process_status.cpu_seconds(self.process.pid)

    def signal(self, number):
        self.process.send_signal(number)

    def stop(self):
        """SIGTERM; returns the exit code, with all of the log read."""
        self.signal(signal.SIGTERM)
        code = self.process.wait(timeout=PATIENCE + 30)
        if hasattr(self, "_follow_log"):
            self._follow_log.join(PATIENCE)
        self._follow_errors.join(PATIENCE)
        return code

    def end(self):
        """Whatever a test left: it must have lived until now, end well, and have nothing to say to stderr."""
        if self.process.poll() is None:
            self.stop()
        self._follow_errors.join(PATIENCE)
        assert self.process.returncode == 0, f"exit code {self.process.returncode}: {self.stderr}"
        assert self.stderr == ""


@pytest.fixture
def pair(tmp_path):
    return Pair(tmp_path / "pair")


@pytest.fixture
def serve(pair):
    """Starts servers with given flags, and sees to it that each ends well."""
    servers = []

    def start(*flags, **options):
        server = Server(options.pop("pair", pair), *flags, **options)
        servers.append(server)
        return server

    yield start
    for server in servers:
        server.end()


@pytest.fixture
def server(serve):
    """A server with the defaults."""
    return serve()


class Load:
    """Clients that ask again and again, each over one connection as long as the server keeps it."""

    def __init__(self, server, clients=4):
        self.server = server
        self.answered = 0
        self.failures = []
        self.closing = 0  # answers that said they would be the last on their connection
        self.stopping = threading.Event()
        self._context = server.context()
        self._lock = threading.Lock()
        self._threads = [threading.Thread(target=self._client, args=(i,)) for i in range(clients)]
        for thread in self._threads:
            thread.start()

    def _connect(self):
        """A connection, or None where the server takes none any more."""
        try:
            return self.server.tls(context=self._context)
        except (ssl.SSLError, OSError):
            return None

    def _ask(self, sock, uid):
        try:
            sock.sendall(post(pod_review(uid=uid)))
            answer = read_answer(sock)
        except (http.client.HTTPException, OSError) as error:
            with self._lock:
                self.failures.append(repr(error))
            return None
        with self._lock:
            self.answered += 1
            if answer.status != 200 or answer.json["uid"] != uid:
                self.failures.append(f"{answer.status} {answer.body}")
        return answer

    def _client(self, number):
        sock = None
        asked = 0
        while not self.stopping.is_set():
            sock = sock or self._connect()
            if not sock:
                return
            asked += 1
            answer = self._ask(sock, f"{number}-{asked}")
            if not answer or answer.headers["Connection"] == "close":
                with self._lock:
                    self.closing += answer is not None
                sock.close()
                sock = None
        if sock:
            sock.close()

    def wait_for_answers(self, count):
        """Until so many more have been answered."""
        target = self.answered + count
        eventually(lambda: self.answered >= target or self.failures, f"{target} answers")

    def join(self):
        for thread in self._threads:
            thread.join(PATIENCE)
            assert not thread.is_alive()

    def stop(self):
        self.stopping.set()
        self.join()
