# SPDX-License-Identifier: Apache-2.0
"""The image: built from the Dockerfile without a Docker engine, then entered as the user it names."""

import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

from conftest import CASES, ROOT
from images import build_image, buildah, may_mount, run, version

IMAGE = "localhost/tfconfig-webhook:test"
PROGRAM = "/usr/bin/tfconfig-webhook"
SAMPLE = ROOT / "manifests" / "samples" / "worker" / "trainer.yaml"
MAX_BYTES = 20_230_000

MISSING = [tool for tool in ("buildah", "debootstrap", "openssl") if not shutil.which(tool)]

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="an image is built as root"),
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"),
    pytest.mark.skipif(not MISSING and not may_mount(), reason="mounting is not permitted here, and buildah has to"),
    pytest.mark.timeout(1500),
]


@pytest.fixture(scope="module")
def image():
    build_image(IMAGE)
    return json.loads(buildah("inspect", "--type", "image", IMAGE))["OCIv1"]


@pytest.fixture(scope="module")
def root(image):
    container = buildah("from", "--pull=never", IMAGE).strip()
    try:
        yield pathlib.Path(buildah("mount", container).strip())
    finally:
        buildah("rm", container)


@pytest.fixture(scope="module")
def certs(root, tmp_path_factory):
    """A pair made by other means, readable for the image's user."""
    folder = root / "tls"
    folder.mkdir()
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    run(*command, "-days", "2", "-subj", "/CN=test", "-keyout", folder / "tls.key", "-out", folder / "tls.crt")
    for path in folder.iterdir():
        os.chown(path, 65532, 65532)
    yield folder
    shutil.rmtree(folder)


def enter(root, *arguments, **settings):
    """Runs the image's program in its root as the image's user, with no environment but what is given."""

    def become_the_user():
        os.chroot(root)
        os.chdir("/")
        os.setgroups([])
        os.setgid(65532)
        os.setuid(65532)

    settings.setdefault("env", {})
    return subprocess.run(
        [PROGRAM, *arguments], capture_output=True, text=True, timeout=60, preexec_fn=become_the_user, **settings
    )


def files(root):
    return sorted(path.relative_to(root) for path in root.rglob("*") if not path.is_dir())


def test_configuration(image):
    config = image["config"]
    assert config["User"] == "65532:65532"
    assert config["Entrypoint"] == [PROGRAM]
    assert not config.get("Cmd")
    assert sorted(port.removesuffix("/tcp") for port in config["ExposedPorts"]) == ["8080", "8443"]
    labels = config["Labels"]
    assert labels["org.opencontainers.image.version"] == version()
    assert labels["org.opencontainers.image.title"] == "tfconfig-webhook"
    assert labels["org.opencontainers.image.licenses"] == "Apache-2.0"


def test_holds_the_program_and_what_it_loads_alone(root):
    """The loader in the image lists what it finds there for the program, itself included."""
    done = enter(root, env={"LD_TRACE_LOADED_OBJECTS": "1"})
    assert "not found" not in done.stdout
    loaded = re.findall(r"/[^ ]+", done.stdout)
    assert any("/libcurl.so" in path for path in loaded) and any("/libmicrohttpd.so" in path for path in loaded)
    assert sorted(f"/{path}" for path in files(root)) == sorted([PROGRAM, *loaded])


def test_size(root):
    size = sum((root / path).lstat().st_size for path in files(root))
    print(f"\nimage: {size} bytes, {len(files(root))} files")
    assert 2_000_000 < size < MAX_BYTES


def test_program_is_stripped_and_nothing_is_writable(root):
    assert b".debug_info" not in (root / PROGRAM[1:]).read_bytes()
    for path in files(root):
        status = (root / path).lstat()
        assert (status.st_uid, status.st_mode & 0o6022) == (0, 0), path


def test_version(root):
    done = enter(root, "--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"tfconfig-webhook {version()}\n", "")


def test_review(root):
    """The same bytes as from the machine it was built on would do: a recorded case's answer."""
    case = next(p.parent for p in sorted(CASES.glob("*/*/expected.json")) if (p.parent / "patched.json").exists())
    arguments = (case / "args").read_text().split() if (case / "args").exists() else []
    done = enter(root, "review", "--decode", *arguments, input=(case / "review.json").read_text())
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == json.loads((case / "expected.json").read_text())


def test_render(root):
    """The library that reads YAML is there."""
    done = enter(root, "render", "-f", "-", input=SAMPLE.read_text())
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("StatefulSet default/trainer: 3 pods\n")


def test_serve_accepts_its_configuration(root, certs):
    arguments = ["serve", "--check-config", "--tls-cert", "/tls/tls.crt", "--tls-key", "/tls/tls.key"]
    done = enter(root, *arguments)
    assert done.returncode == 0, done.stderr
    (certs / "tls.key").write_text("broken")
    assert enter(root, *arguments).returncode != 0


def test_wait(root):
    """It is dynamically linked, and the resolver comes with the C library: nothing is loaded that is not there."""
    value = '{"cluster":{"worker":["127.0.0.1:2222"]},"task":{"type":"worker","index":0}}'
    done = enter(root, "wait", env={"TF_CONFIG": value})
    assert (done.returncode, done.stdout, done.stderr) == (0, "1 of 1 peers resolve\n", "")


def test_certs(root, tmp_path):
    """Minting needs libcrypto's providers and randomness, which an empty root could lack."""
    folder = root / "out"
    folder.mkdir()
    os.chown(folder, 65532, 65532)
    try:
        done = enter(root, "certs", "--out", "/out", "--service", "a", "--namespace", "b")
        assert done.returncode == 0, done.stderr
        run("openssl", "verify", "-CAfile", folder / "ca.crt", folder / "tls.crt")
        assert (folder / "tls.key").stat().st_uid == 65532
    finally:
        shutil.rmtree(folder)
