# SPDX-License-Identifier: Apache-2.0
"""A DNS server that tests control, in a network where the program can ask no other. Needs root."""

import ctypes
import os
import socket
import struct
import subprocess
import threading

import pytest

from conftest import program_path

PATIENCE = 60
RESOLV_CONF = """search ml.svc.cluster.local svc.cluster.local cluster.local
nameserver 127.0.0.1
options ndots:5 timeout:1 attempts:1
"""
FILES = {"/etc/resolv.conf": RESOLV_CONF, "/etc/hosts": "127.0.0.1 localhost\n",
         "/etc/nsswitch.conf": "hosts: files dns\n"}
TYPES = {1: "A", 28: "AAAA"}
ADDRESSES = {"A": socket.inet_pton(socket.AF_INET, "192.0.2.1"),
             "AAAA": socket.inet_pton(socket.AF_INET6, "2001:db8::1")}
NO_ERROR, SERVFAIL, NXDOMAIN = 0, 2, 3
_CLONE_NEWNET = 0x40000000

# Entering the network of another process needs a file descriptor of it, which it has while it lives.
_libc = ctypes.CDLL(None, use_errno=True)


def may_unshare():
    return subprocess.run(["unshare", "--net", "--mount", "true"], capture_output=True).returncode == 0


needs_network = pytest.mark.skipif(os.geteuid() != 0 or not may_unshare(),
                                   reason="a network of its own needs root, and the permission to make one")


class Network:
    """A network with only a loopback device, and its own files for the resolver."""

    def __init__(self, folder):
        mounts = []
        for path, text in FILES.items():
            copy = folder / path.rpartition("/")[2]
            copy.write_text(text)
            mounts.append(f"mount --bind {copy} {path}")
        script = " && ".join(["ip link set lo up", *mounts, "echo ready", "exec cat"])
        self.keeper = subprocess.Popen(["unshare", "--net", "--mount", "--propagation", "private", "sh", "-c", script],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.keeper.stdout.readline() == "ready\n"

    def close(self):
        self.keeper.stdin.close()
        assert self.keeper.wait(PATIENCE) == 0
        self.keeper.stdout.close()

    def enter(self):
        """What begins a command that shall run here; it becomes the command, without a process of its own."""
        return ["nsenter", "--target", str(self.keeper.pid), "--net", "--mount", "--"]

    def udp_socket(self, port):
        """A socket of this network, for whoever it is handed to. A network is a thread's, so a thread makes it."""
        made = []

        def make():
            with open(f"/proc/{self.keeper.pid}/ns/net") as network:
                assert _libc.setns(network.fileno(), _CLONE_NEWNET) == 0, os.strerror(ctypes.get_errno())
            made.append(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
            made[0].setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made[0].bind(("127.0.0.1", port))

        thread = threading.Thread(target=make)
        thread.start()
        thread.join()
        return made[0]


class Dns:
    """Answers as configured, and records the queries in order: (type, name)."""

    def __init__(self, network):
        self.names = {}  # name -> the types that it has; any other is NXDOMAIN
        self.mode = "right"  # or "broken", "silent"
        self.questions = []
        self._changed = threading.Condition()
        self._socket = network.udp_socket(53)
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def close(self):
        self._socket.sendto(b"", self._socket.getsockname())  # an empty question ends it
        self._thread.join(PATIENCE)
        self._socket.close()

    def add(self, *names, types=("A",)):
        self.names.update(dict.fromkeys(names, types))

    def wait_for_questions(self, count, name=None):
        """Until there were so many, all or those for one name."""
        def enough():
            return sum(name in (None, asked) for _, asked in self.questions) >= count

        with self._changed:
            assert self._changed.wait_for(enough, PATIENCE), self.questions

    def asked(self, kind="A"):
        with self._changed:
            return [name for of, name in self.questions if of == kind]

    def _serve(self):
        while True:
            question, client = self._socket.recvfrom(4096)
            if not question:
                return
            answer = self._answer(question)
            if answer:
                self._socket.sendto(answer, client)

    def _answer(self, message):
        """RFC 1035, section 4: the header, the question as it came, and an address."""
        labels, at = [], 12
        while message[at]:
            labels.append(message[at + 1:at + 1 + message[at]].decode())
            at += 1 + message[at]
        (number,) = struct.unpack_from(">H", message, at + 1)
        name, kind = ".".join(labels), TYPES.get(number, str(number))
        with self._changed:
            self.questions.append((kind, name))
            self._changed.notify_all()
            if self.mode == "silent":
                return None
            types = self.names.get(name)
        code = SERVFAIL if self.mode == "broken" else NXDOMAIN if types is None else NO_ERROR
        answers = b""
        if code == NO_ERROR and kind in types:
            data = ADDRESSES[kind]
            answers = struct.pack(">HHHIH", 0xC00C, number, 1, 5, len(data)) + data
        header = message[:2] + struct.pack(">HHHHH", 0x8580 | code, 1, bool(answers), 0, 0)
        return header + message[12:at + 5] + answers


class Wait:
    """`tfconfig-webhook wait` at work."""

    def __init__(self, network, tf_config, *arguments, inside=()):
        environment = {**os.environ, "TF_CONFIG": tf_config}
        command = [*network.enter(), *inside, os.path.abspath(program_path()), "wait", *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env=environment)

    def line(self):
        """The next line of progress."""
        return self.process.stdout.readline().rstrip("\n")

    def end(self):
        """(exit code, the rest of stdout, stderr)"""
        output, errors = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, output, errors


@pytest.fixture(scope="session")
def network(tmp_path_factory):
    network = Network(tmp_path_factory.mktemp("network"))
    yield network
    network.close()


@pytest.fixture
def dns(network):
    dns = Dns(network)
    yield dns
    dns.close()


@pytest.fixture
def wait(network, program):
    """Starts the program; what is left of it ends with the test."""
    started = []

    def start(*arguments, **settings):
        started.append(Wait(network, *arguments, **settings))
        return started[-1]

    yield start
    for each in started:
        each.process.kill()
        each.process.communicate()
