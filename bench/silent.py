#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`silent.py PORT COUNT`: connections to 127.0.0.1 that take a place and say nothing.

Half never greet, half stop after the TLS handshake. Prints "ready" when all are there, waits for a line, and prints how
many were closed meanwhile.
"""

import resource
import select
import socket
import sys

from servers import client_context


def main():
    port, count = map(int, sys.argv[1:])
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    context = client_context()
    held = []
    for i in range(count):
        sock = socket.create_connection(("127.0.0.1", port), timeout=30)
        held.append(context.wrap_socket(sock) if i % 2 else sock)
    print("ready", flush=True)
    sys.stdin.readline()
    poll = select.poll()
    for sock in held:
        poll.register(sock, select.POLLIN)
    print(len(poll.poll(0)), flush=True)


if __name__ == "__main__":
    sys.exit(main())
