"""The fake API server for every test of this folder."""

import pytest

from kube.fake_api_server import FakeApiServer


@pytest.fixture
def api(tmp_path):
    """An API server that runs, without objects."""
    server = FakeApiServer(tmp_path)
    server.start()
    yield server
    server.stop()
