# SPDX-License-Identifier: Apache-2.0
"""What a process holds in its memory."""

import pathlib


def holds(pid, marks):
    """Which of the byte strings are in the memory of a process."""
    found = set()
    maps = pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines()
    with open(f"/proc/{pid}/mem", "rb") as memory:
        for line in maps:
            span, access = line.split()[:2]
            if access[:2] != "rw":
                continue
            begin, end = (int(address, 16) for address in span.split("-"))
            memory.seek(begin)
            content = memory.read(end - begin)
            found |= {mark for mark in marks if mark in content}
    return found
