# SPDX-License-Identifier: Apache-2.0
"""The servers that are measured, as child processes on 127.0.0.1, and what each of them costs."""

import contextlib
import json
import os
import signal
import socket
import ssl
import subprocess
import time

from body import FOLDER, ROOT
from conftest import program_path
from process_status import cpu_seconds, memory

PATIENCE = 60  # seconds for a server to start or to end


def client_context():
    """Of a client that takes any certificate."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


class Server:
    """Its output is read by a process that keeps up, as a container runtime does; `with` ends it."""

    def __init__(self, command, find_port, environment=None):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, **(environment or {})})
        self.reader = None
        try:
            self.port = find_port(self.process.stdout)
            self.reader = subprocess.Popen(["cat"], stdin=self.process.stdout, stdout=subprocess.DEVNULL)
        except BaseException:
            self.process.kill()
            raise

    @property
    def url(self):
        return f"https://127.0.0.1:{self.port}/mutate"

    def resident(self):
        """Bytes."""
        return memory(self.process.pid)

    def peak(self):
        """The most that were resident so far."""
        return memory(self.process.pid, "VmHWM")

    def cpu_seconds(self):
        return cpu_seconds(self.process.pid)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(PATIENCE)
        finally:
            self.process.kill()
            self.reader.wait(PATIENCE)


def make_certificate():
    subprocess.run([program_path(), "certs", "--out", str(FOLDER), "--service", "w", "--namespace", "n", "--force"],
                   check=True, stdout=subprocess.DEVNULL)


def _port_of_log(lines):
    for line in lines:
        event = json.loads(line)
        if event["msg"] == "serving":
            return int(event["listen"].rpartition(":")[2])
    raise SystemExit("the webhook did not start")


def webhook(threads, *flags):
    """With its access log on, as it is by default."""
    return Server([program_path(), "serve", "--tls-cert", FOLDER / "tls.crt", "--tls-key", FOLDER / "tls.key",
                   "--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0", "--drain", "0", "--threads",
                   str(threads), *flags], _port_of_log)


def _bare(program, threads, *arguments):
    return Server([ROOT / "build/release/bench" / program, FOLDER / "tls.crt", FOLDER / "tls.key", str(threads),
                   *arguments], lambda lines: int(lines.readline()))


def echo(threads):
    return _bare("echo", threads)


def empty(threads, *patch):
    """Allows everything; a file with a patch makes that its answer's."""
    return _bare("empty", threads, *patch)


def controller_runtime(threads):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]

    def find_port(_):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)) as sock:
                client_context().wrap_socket(sock).close()  # without a handshake it would complain
                return port
            time.sleep(0.02)
        raise SystemExit("the Go webhook did not start")

    return Server([FOLDER / "controller-runtime", FOLDER, str(port)], find_port, {"GOMAXPROCS": str(threads)})
