# SPDX-License-Identifier: Apache-2.0
"""The client of the Kubernetes API in a process of its own: client_driver.c says what it understands."""

import os
import pathlib
import signal
import subprocess

from conftest import ROOT
from kube.fake_api_server import PATIENCE

_PROGRAM = os.environ.get("PROGRAM")
DRIVER = (pathlib.Path(_PROGRAM).resolve().parent if _PROGRAM else ROOT / "build" / "release") / "client-driver"
SANITIZED = DRIVER.exists() and any(mark in DRIVER.read_bytes() for mark in (b"__asan_init", b"__tsan_init"))

JSON_PATCH = "application/json-patch+json"
APPLY = "application/apply-patch+yaml"


class Driver:
    def __init__(self, folder, environment, timeout=10):
        assert os.access(DRIVER, os.X_OK), f"{DRIVER} is missing: make VARIANT=... build/.../client-driver"
        self.process = subprocess.Popen([DRIVER, folder, str(timeout)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, env={**os.environ, **environment})
        ready = self.answer().split()
        assert ready[:1] == ["ready"], self.process.stderr.read()
        self.server, self.namespace = ready[1:]

    def say(self, *lines):
        self.process.stdin.write("".join(f"{line}\n" for line in lines))
        self.process.stdin.flush()

    def answer(self):
        return self.process.stdout.readline().rstrip("\n")

    def ask(self, *lines):
        self.say(*lines)
        return self.answer()

    def send(self, method, path, content_type=None, body=None):
        """Returns (status, length or message)."""
        lines = [f"send {method} {path} {content_type}", body] if content_type else [f"send {method} {path}"]
        status, _, rest = self.ask(*lines).partition(" ")
        return status, rest

    def get(self, path):
        return self.send("GET", path)

    def show(self, path):
        status, _, rest = self.ask(f"show GET {path}").partition(" ")
        return status, rest

    def watch(self, path):
        assert self.ask(f"watch {path}") == "ok"

    def wait(self, milliseconds=30000):
        return self.ask(f"wait {milliseconds}") == "true"

    def wait_until(self, condition):
        """Lets the watches run until condition()."""
        while not condition():
            self.wait(50)

    def take_news(self):
        """Waits until nothing more is reported."""
        while self.wait(100):
            pass

    def problem(self):
        return self.ask("problem")

    def wait_for_problem(self, text):
        """Lets the watches run until one has such a problem; "none" is that of watches which are all open."""
        while text not in (problem := self.problem()):
            self.wait(50)
        return problem

    def check(self, address, port, name, bundle):
        return self.ask(f"check {address} {port} {name} {bundle}")

    def wake(self):
        self.process.send_signal(signal.SIGUSR1)

    def end(self):
        """It must have lived until now, end well, and have nothing to say to stderr."""
        try:
            _, errors = self.process.communicate(timeout=PATIENCE)
        finally:
            self.process.kill()
        assert (self.process.returncode, errors) == (0, "")
