#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Clients that only take: `hostile_clients.py COUNT ADDRESS:PORT...`.

To each address COUNT connections that never speak, 50 that send the head of a request over TLS and then a byte a second,
and 50 that send garbage where a handshake is due. Whoever is turned away comes back. Prints `ready` when all have
connected once, and goes on until SIGTERM or SIGINT.
"""

import os
import random
import resource
import selectors
import signal
import socket
import ssl
import sys
import threading
import time

HEAD = (b"POST /mutate HTTP/1.1\r\nHost: webhook\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n")
SLOW = GARBAGE = 50
ending = threading.Event()


def stay_silent(address, count, connected):
    """All connections of one thread; those that are closed are opened again."""
    selector = selectors.DefaultSelector()

    def open_one():
        sock = socket.create_connection(address, timeout=10)
        sock.setblocking(False)
        selector.register(sock, selectors.EVENT_READ)

    for _ in range(count):
        open_one()
    connected.release()
    while not ending.is_set():
        for key, _ in selector.select(timeout=0.2):
            selector.unregister(key.fileobj)
            key.fileobj.close()
            open_one()


def again_and_again(attack, address, connected):
    """Until the end; each time it returns or is thrown out it comes back."""
    first = True
    while not ending.is_set():
        try:
            with socket.create_connection(address, timeout=10) as sock:
                if first:
                    connected.release()
                    first = False
                attack(sock)
        except OSError:
            ending.wait(0.05)


def drip(sock):
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with context.wrap_socket(sock, server_hostname="tfconfig-webhook.tfconfig-system.svc") as tls:
        tls.sendall(HEAD)
        while not ending.wait(1):
            tls.sendall(b"x")


def babble(sock):
    sock.sendall(b"\x16\x03\x01" + random.randbytes(2000))
    while sock.recv(1000):
        pass


def main(arguments):
    if len(arguments) < 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ending.set())
    count = int(arguments[0])
    addresses = [(host, int(port)) for host, _, port in (text.rpartition(":") for text in arguments[1:])]
    connected = threading.Semaphore(0)
    jobs = [(stay_silent, (address, count, connected)) for address in addresses]
    jobs += [(again_and_again, (drip, address, connected)) for address in addresses for _ in range(SLOW)]
    jobs += [(again_and_again, (babble, address, connected)) for address in addresses for _ in range(GARBAGE)]
    for job, details in jobs:
        threading.Thread(target=job, args=details, daemon=True).start()
    for _ in jobs:
        while not connected.acquire(timeout=0.2):
            if ending.is_set():
                return 1
    print("ready", flush=True)
    while not ending.is_set():
        time.sleep(0.1)
    os._exit(0)  # threads may be inside a connect


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
