# SPDX-License-Identifier: Apache-2.0
"""What a process costs, by /proc."""

import os
import pathlib
import re


def memory(pid, name="VmRSS"):
    """Bytes: resident now, or at the most so far (VmHWM), or another of proc(5)'s names."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(rf"^{name}:\s+(\d+) kB", status, re.MULTILINE)[1]) * 1024


def cpu_seconds(pid):
    """The user's and the system's."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
