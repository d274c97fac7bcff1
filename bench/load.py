# SPDX-License-Identifier: Apache-2.0
"""Load on a server: at full speed, at a fixed rate, with new connections; and connections that stay silent."""

import asyncio
import contextlib
import os
import pathlib
import re
import subprocess
import sys
from typing import NamedTuple

from body import FOLDER
from servers import client_context

HERE = pathlib.Path(__file__).resolve().parent
CONNECTIONS = 8
KEPT = 25  # connections that an API server keeps to a host
UNITS = {"us": 0.001, "ms": 1, "s": 1000, "m": 60000}


class Speed(NamedTuple):
    requests: int
    rate: float  # requests a second
    p99: float  # milliseconds
    cpu: float  # microseconds of the server's CPU for a request


def full_speed(server, seconds, path, script="post.lua"):
    """wrk, as fast as the answers come."""
    before = server.cpu_seconds()
    done = subprocess.run(["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--latency", "-s", HERE / script,
                           server.url], env={**os.environ, "BODY": str(path), "POST": str(HERE / "post.lua")},
                          capture_output=True, text=True, check=True).stdout
    cpu = server.cpu_seconds() - before
    assert "Non-2xx" not in done and "Socket errors" not in done, done
    value, unit = re.search(r"99%\s+([\d.]+)(us|ms|s|m)\b", done).groups()
    requests = int(re.search(r"(\d+) requests in", done)[1])
    return Speed(requests, rate=float(re.search(r"Requests/sec:\s+([\d.]+)", done)[1]),
                 p99=float(value) * UNITS[unit], cpu=cpu * 1e6 / requests)


def p99_at_rate(server, seconds, path, rate):
    """Milliseconds from the time at which a request was due, be it sent late or not."""
    return float(subprocess.run([FOLDER / "rate", server.url, path, str(rate), str(seconds), str(KEPT)],
                                capture_output=True, text=True, check=True).stdout)


async def _ask(server, request, context):
    """Over a connection of its own; returns whether it was answered."""
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port, ssl=context)
        writer.write(request)
        status = await reader.readline()
        writer.close()
    except OSError:
        return False
    return status.startswith(b"HTTP/1.1 200 ")


def burst(server, path, count):
    """So many new connections at once, a request over each; returns how many failed."""
    context = client_context()
    content = path.read_bytes()
    request = (b"POST /mutate HTTP/1.1\r\nHost: webhook\r\nContent-Type: application/json\r\n"
               b"Content-Length: %d\r\n\r\n" % len(content)) + content

    async def ask_all():
        return await asyncio.gather(*(_ask(server, request, context) for _ in range(count)))

    return asyncio.run(ask_all()).count(False)


@contextlib.contextmanager
def silent_connections(server, count):
    """Holds them meanwhile: half never speak, half stop after the handshake."""
    with subprocess.Popen([sys.executable, HERE / "silent.py", str(server.port), str(count)], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout.readline() == "ready\n", "the silent connections were not made"
        yield
        closed, _ = holder.communicate("\n")
        assert closed == "0\n", f"{closed.strip()} of the silent connections were closed"
