# SPDX-License-Identifier: Apache-2.0
"""Images without a Docker engine: the project's own, built from the Dockerfile as it stands, and the base it asks for.

The base comes from debootstrap and is kept, with the layers, below build/image, so that only the first run takes
minutes. Needs root, buildah and debootstrap.
"""

import contextlib
import fcntl
import json
import os
import re
import shutil
import subprocess

from conftest import ROOT

BASE = "docker.io/library/debian:bookworm-slim"
TOOLS = "localhost/tfconfig-webhook-tools:test"
TRAINING = "docker.io/library/tensorflow-training:2.21.0"
WORK = ROOT / "build" / "image"


def may_mount():
    """buildah unpacks layers in a mount namespace of its own; a chroot or a container may not have one."""
    make_private = ["unshare", "--mount", "--propagation", "unchanged", "mount", "--make-rprivate", "/"]
    return subprocess.run(make_private, capture_output=True).returncode == 0


def run(*command, **settings):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **settings)
    assert done.returncode == 0, f"{command}: {done.stdout[-4000:]}{done.stderr[-4000:]}"
    return done.stdout


def buildah(*arguments, **settings):
    """buildah with storage of its own, as it works inside a container too: no overlay file system, no namespaces."""
    storage = ["--storage-driver", "vfs", "--root", WORK / "storage", "--runroot", WORK / "run"]
    env = {**os.environ, "BUILDAH_ISOLATION": "chroot"}
    return run("buildah", *storage, *arguments, env=env, **settings)


def image_names():
    return {name for image in json.loads(buildah("images", "--json")) for name in image.get("names") or []}


def make_base():
    """debian:bookworm-slim, near enough: a minimal Debian under the name that the Dockerfile asks for."""
    root = WORK / "debootstrap"
    shutil.rmtree(root, ignore_errors=True)
    run("debootstrap", "--variant=minbase", "bookworm", root)
    container = buildah("from", "scratch").strip()
    try:
        buildah("add", "--quiet", container, root, "/")
        buildah("config", "--env", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "--cmd", "bash", container)
        buildah("commit", "--quiet", container, BASE)
    finally:
        buildah("rm", container)
        shutil.rmtree(root, ignore_errors=True)


def version():
    (found,) = re.findall(r'TFCONFIG_WEBHOOK_VERSION "(.+)"', (ROOT / "include/version.h").read_text())
    return found


@contextlib.contextmanager
def alone():
    """One build at a time: each ends with the removal of what builds leave behind."""
    WORK.mkdir(parents=True, exist_ok=True)
    with open(WORK / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def build_alone(name, context=ROOT):
    """build_image() for who has the lock."""
    if BASE not in image_names():
        make_base()
    build = ["build", "--pull=never", "--layers", "--file", context / "Dockerfile"]
    try:
        buildah(*build, "--target", "tools", "--tag", TOOLS, context)
        buildah(*build, "--build-arg", f"VERSION={version()}", "--tag", name, context)
    finally:
        # A build that failed, or was killed, leaves its containers, and they hold its layers.
        buildah("rm", "--all")
        buildah("rmi", "--prune")


def build_image(name, context=ROOT):
    """The compiler and libraries stay for the next run; the layers that hold our sources, a gigabyte each, go."""
    with alone():
        build_alone(name, context)


def context_paths():
    """What the image is built from, as .dockerignore lists it; folders too, as a file may have gone."""
    kept = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    for top in [ROOT / name for name in ["Dockerfile", ".dockerignore", *kept]]:
        yield top
        yield from (path for path in top.rglob("*") if "__pycache__" not in path.parts)


def webhook_archive(name):
    """The project's image as a file that a node imports, built anew where its sources are newer."""
    archive = WORK / "webhook.tar"
    with alone():
        if not archive.exists() or any(path.stat().st_mtime > archive.stat().st_mtime for path in context_paths()):
            build_alone(name)
            push(name, archive)
    return archive


def base_archive():
    """The base image as a file that a node imports."""
    archive = WORK / "base.tar"
    with alone():
        if BASE not in image_names():
            make_base()
            archive.unlink(missing_ok=True)
        if not archive.exists():
            push(BASE, archive)
    return archive


def training_archive():
    """The image that the samples ask for, but with TensorFlow left out, as a file that a node imports."""
    archive = WORK / "training.tar"
    with alone():
        if not archive.exists():
            if BASE not in image_names():
                make_base()
            buildah("build", "--pull=never", "--tag", TRAINING, ROOT / "tests/e2e/training")
            push(TRAINING, archive)
    return archive


def push(name, archive):
    """Writes an image to a file that a node imports, under the same name."""
    archive.unlink(missing_ok=True)
    part = archive.with_suffix(".part")
    part.unlink(missing_ok=True)
    buildah("push", "--quiet", name, f"docker-archive:{part}:{name}")
    part.rename(archive)


def main():
    """Makes what the end-to-end tests bring onto a node, where it is not there yet."""
    webhook_archive(f"docker.io/library/tfconfig-webhook:{version()}")
    base_archive()
    training_archive()


if __name__ == "__main__":
    main()
