# SPDX-License-Identifier: Apache-2.0
"""The fake API server for every test of this folder."""

import pathlib
import sys

import pytest

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "server"))  # server_harness

from kube.fake_api_server import FakeApiServer  # noqa: E402


@pytest.fixture
def api(tmp_path):
    """An API server that runs, without objects."""
    server = FakeApiServer(tmp_path)
    server.start()
    yield server
    server.stop()
