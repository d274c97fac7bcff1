# SPDX-License-Identifier: Apache-2.0
"""Settings: flags, variables and defaults; what is checked before serving; where the server listens."""

import base64
import json
import os
import pathlib
import shutil
import socket
import subprocess

import pytest
from conftest import CASES
from server_harness import (PATIENCE, SANITIZED, Pair, pair, pod_review, serve, server)  # noqa: F401

pytestmark = pytest.mark.usefixtures("program")


def run(program, *arguments, environment=None):
    """`serve` with arguments that it should end on by itself."""
    done = subprocess.run([program, "serve", *map(str, arguments)], capture_output=True, text=True, timeout=PATIENCE,
                          env={**os.environ, **(environment or {})})
    return done.returncode, done.stdout, done.stderr


def fails(program, code, *arguments, environment=None):
    """The one line on stderr of a run that has to fail."""
    got, output, errors = run(program, *arguments, environment=environment)
    assert (got, output) == (code, ""), errors
    assert errors.startswith("tfconfig-webhook serve: ") and errors.count("\n") == 1 and errors.endswith("\n")
    return errors


@pytest.mark.parametrize("flags, name", [
    (["--nonsense"], "--nonsense"), (["--threads"], "--threads"), (["--threads", "65"], "65"),
    (["--threads", "-1"], "-1"), (["--memory", "15Mi"], "15Mi"), (["--memory", "48MB"], "48MB"),
    (["--listen", "8443"], "8443"), (["--listen", "[::]:65536"], "65536"), (["--listen", "localhost:1"], "localhost"),
    (["--listen", "[1.2.3.4]:1"], "1.2.3.4"), (["--metrics-listen", "::1:80"], "::1:80"),
    (["--cluster-domain", "Cluster.Local"], "Cluster.Local"), (["--cluster-domain", "a..b"], "a..b"),
    (["--wait-image", "a b"], "a b"), (["--drain", "10x"], "10x"), (["--request-timeout", "0"], "0"),
    (["--max-connections", "0"], "0"), (["--log-level", "loud"], "loud"), (["--check-config=maybe"], "maybe"),
    (["extra"], "extra")])
def test_a_bad_setting_is_one_line_that_names_it_and_exit_2(program, pair, flags, name):
    assert name in fails(program, 2, *pair.flags(), *flags)


def test_files_are_both_needed_and_chosen_by_being_given(program, pair):
    certificate, key = pair.flags()[:2], pair.flags()[2:]
    files = ["--cert-mode", "files"]
    assert "--tls-cert is missing: --cert-mode files needs both" in fails(program, 2, *files)
    assert "--tls-cert is missing: --cert-mode files needs both" in fails(program, 2, *key)
    for flags in (certificate, [*files, *certificate]):
        assert "--tls-key is missing: --cert-mode files needs both" in fails(program, 2, *flags)


def test_files_are_not_for_a_certificate_that_manages_itself(program, pair):
    managed = ["--cert-mode", "self-managed"]
    assert "--tls-cert is for --cert-mode files" in fails(program, 2, *managed, *pair.flags())
    assert "--tls-key is for --cert-mode files" in fails(program, 2, *managed, *pair.flags()[2:])


@pytest.mark.parametrize("missing", ["KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT", "token"])
def test_a_certificate_manages_itself_in_a_pod_alone(program, tmp_path, missing):
    files = {"ca.crt": "PEM", "token": "token", "namespace": "tfconfig-system"}
    variables = {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": "6443"}
    for name in files.keys() - {missing}:
        (tmp_path / name).write_text(files[name])
    environment = {name: value for name, value in variables.items() if name != missing}
    error = fails(program, 1, "--service-account", tmp_path, environment=environment)
    assert "--cert-mode self-managed needs a pod with a service account: " in error and missing in error


@pytest.mark.parametrize("check", [[], ["--check-config"]], ids=["serve", "check-config"])
class TestPairs:
    def test_a_missing_file_is_named(self, program, pair, tmp_path, check):
        for flag in ("--tls-cert", "--tls-key"):
            error = fails(program, 1, *pair.flags(), flag, tmp_path / "nowhere", *check)
            assert f"{tmp_path}/nowhere: No such file or directory" in error

    def test_an_unreadable_file_is_named(self, program, pair, tmp_path, check):
        assert f"{tmp_path}: Is a directory" in fails(program, 1, *pair.flags(), "--tls-key", tmp_path, *check)

    def test_a_file_that_is_no_pem_is_named(self, program, pair, tmp_path, check):
        (tmp_path / "junk").write_bytes(b"\0junk")
        (tmp_path / "empty").touch()
        for flag, what in (("--tls-cert", "is not a PEM certificate"), ("--tls-key", "is not a PEM key")):
            for junk in ("junk", "empty"):
                assert f"{junk} {what}" in fails(program, 1, *pair.flags(), flag, tmp_path / junk, *check)

    def test_a_file_without_end_is_refused(self, program, pair, check):
        assert "/dev/zero has" in fails(program, 1, *pair.flags(), "--tls-key", "/dev/zero", *check)

    def test_a_mismatched_pair_is_refused_by_the_names_of_both(self, program, pair, tmp_path, check):
        other = Pair(tmp_path / "other")
        error = fails(program, 1, "--tls-cert", pair.certificate, "--tls-key", other.key, *check)
        assert f"{pair.certificate} and the key {other.key} are not a pair" in error


def test_check_config_says_so_and_listens_nowhere(program, pair, server):
    taken = f"127.0.0.1:{server.port}"
    assert run(program, *pair.flags(), "--listen", taken, "--check-config") == (0, "The configuration is valid.\n", "")


def test_check_config_takes_an_expired_certificate_with_a_warning(program, tmp_path):
    late = Pair(tmp_path / "late", begins=-7200, ends=-3600)
    code, output, errors = run(program, *late.flags(), "--check-config")
    assert (code, output) == (0, "The configuration is valid.\n")
    assert errors == f"tfconfig-webhook serve: warning: the certificate has expired: {late.certificate}\n"


@pytest.mark.parametrize("flag", ["--listen", "--metrics-listen"])
def test_a_port_in_use_is_one_line_that_names_it(program, pair, flag):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        flags = {"--listen": "127.0.0.1:0", "--metrics-listen": "127.0.0.1:0", flag: address}
        error = fails(program, 1, *pair.flags(), *(part for item in flags.items() for part in item))
    assert error == f"tfconfig-webhook serve: cannot listen on {address}: Address already in use\n"


def test_print_config_tells_each_setting_and_where_it_came_from(program, pair):
    code, output, errors = run(program, *pair.flags(), "--threads", "3", "--print-config",
                               environment={"TFCONFIG_WEBHOOK_DRAIN": "20s", "TFCONFIG_WEBHOOK_THREADS": "4"})
    assert (code, errors) == (0, "")
    lines = output.splitlines()
    for line in (f"--tls-cert {pair.certificate} (from the command line)", "--listen [::]:8443 (default)",
                 "--metrics-listen [::]:8080 (default)", "--memory 32Mi (default)", "--idle-timeout 120s (default)",
                 "--drain 20s (from TFCONFIG_WEBHOOK_DRAIN)", "--threads 3 (from the command line)"):
        assert line in lines
    assert lines[-1].startswith("In effect: 3 threads, cluster domain ")


def test_print_config_tells_the_domain_of_resolv_conf(program, pair):
    domain = next((entry.removeprefix("svc.") for line in pathlib.Path("/etc/resolv.conf").read_text().splitlines()
                   if line.startswith("search") for entry in line.split()[1:] if entry.startswith("svc.")), None)
    output = run(program, *pair.flags(), "--print-config")[1]
    source = f"{domain} (from /etc/resolv.conf)" if domain else "none"
    assert output.endswith(f"cluster domain {source}\n")
    output = run(program, *pair.flags(), "--print-config", "--cluster-domain", "example.org")[1]
    assert output.endswith("cluster domain example.org\n")


def test_the_search_list_of_a_pod_gives_the_domain(program, pair, tmp_path):
    if subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode != 0:
        pytest.skip("this machine lets nobody make a mount namespace")
    (tmp_path / "resolv.conf").write_text("nameserver 10.96.0.10\nsearch ml.svc.k.example svc.k.example k.example\n")
    script = f'mount --bind {tmp_path}/resolv.conf /etc/resolv.conf && exec "$0" serve "$@"'
    done = subprocess.run(["unshare", "--mount", "sh", "-c", script, program, *pair.flags(), "--print-config"],
                          capture_output=True, text=True, timeout=PATIENCE)
    assert done.stdout.endswith("cluster domain k.example (from /etc/resolv.conf)\n"), done.stderr


def test_a_bad_variable_is_named(program, pair):
    error = fails(program, 2, *pair.flags(), environment={"TFCONFIG_WEBHOOK_MEMORY": "lots"})
    assert "TFCONFIG_WEBHOOK_MEMORY" in error and "lots" in error


def test_variables_set_everything(serve, pair):
    server = serve("--memory", "20Mi", environment={"TFCONFIG_WEBHOOK_THREADS": "3", "TFCONFIG_WEBHOOK_MEMORY": "30Mi",
                                                    "TFCONFIG_WEBHOOK_CLUSTER_DOMAIN": "example.org"})
    assert server.events("serving")[0]["threads"] == 3
    assert server.events("serving")[0]["cluster_domain"] == "example.org"
    assert server.metrics()["memory_limit_bytes"] == 20 * 1024 * 1024  # a flag beats its variable


def test_a_variable_sets_the_image_of_the_init_container_that_waits(serve):
    review = (CASES / "pod/wait-adds-an-init-container/review.json").read_bytes()
    server = serve(environment={"TFCONFIG_WEBHOOK_WAIT_IMAGE": "registry.example.org/webhook:7"})
    patch = json.loads(base64.b64decode(server.review(review).json["patch"]))
    (added,) = [operation["value"][0] for operation in patch if operation["path"] == "/spec/initContainers"]
    assert (added["name"], added["image"]) == ("tfconfig-wait", "registry.example.org/webhook:7")
    assert "--wait-image" in serve().review(review).json["status"]["message"]


def test_help_lists_every_flag_and_its_variable(program):
    code, output, errors = run(program, "--help")
    assert (code, errors) == (0, "")
    for flag in ("--tls-cert", "--listen", "--threads", "--check-config", "--reload-interval"):
        assert flag in output
        assert "TFCONFIG_WEBHOOK_" + flag[2:].replace("-", "_").upper() in output


@pytest.mark.parametrize("threads", ["1", "2", "7"])
def test_any_number_of_threads_serves(serve, threads):
    server = serve("--threads", threads)
    if not SANITIZED:  # a sanitizer has a thread of its own
        tasks = len(os.listdir(f"/proc/{server.process.pid}/task"))
        assert tasks == int(threads) + 5  # main, log, plain port, deadlines of both ports
    assert server.review(pod_review()).status == 200


def test_threads_follow_the_cpus_that_the_process_may_use(pair, program):
    if not shutil.which("taskset"):
        pytest.skip("taskset is not installed")
    done = subprocess.run(["taskset", "-c", str(min(os.sched_getaffinity(0))), program, "serve", *pair.flags(),
                           "--print-config"], capture_output=True, text=True, timeout=PATIENCE)
    assert "In effect: 1 threads" in done.stdout


def test_threads_that_leave_no_memory_for_reviews_are_refused(program, pair):
    error = fails(program, 2, *pair.flags(), "--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0",
                  "--threads", "64", "--memory", "16Mi", "--max-connections", "100")
    assert "64 threads leave no memory" in error


def test_any_address_takes_ipv4_and_ipv6(serve):
    server = serve(host="[::]")
    for host in ("127.0.0.1", "::1"):
        with server.tls(host):
            pass
        assert server.page("/healthz", host=host).status == 200
    assert server.events("serving")[0]["listen"] == f"[::]:{server.port}"


@pytest.mark.parametrize("host, other", [("127.0.0.1", "::1"), ("[::1]", "127.0.0.1")])
def test_one_address_takes_its_own_family(serve, host, other):
    server = serve(host=host)
    with server.tls(host.strip("[]")):
        pass
    with pytest.raises(ConnectionRefusedError):
        server.tls(other)


@pytest.mark.skipif(SANITIZED, reason="a sanitizer has to be the first library")
@pytest.mark.parametrize("host", ["[::]", ""])
def test_without_ipv6_any_address_is_that_of_ipv4(serve, tmp_path, host):
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        pytest.skip("no compiler to build a C library without IPv6")
    (tmp_path / "no_ipv6.c").write_text("""
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <errno.h>
        #include <sys/socket.h>
        int socket(int family, int type, int protocol)
        {
                int (*next)(int, int, int) = (int (*)(int, int, int))dlsym(RTLD_NEXT, "socket");

                if (family != AF_INET6)
                        return next(family, type, protocol);
                errno = EAFNOSUPPORT;
                return -1;
        }
        """)
    library = tmp_path / "no_ipv6.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, tmp_path / "no_ipv6.c", "-ldl"], check=True)
    server = serve(host=host, environment={"LD_PRELOAD": str(library)})
    assert server.events("serving")[0]["listen"] == f"0.0.0.0:{server.port}"
    assert server.review(pod_review()).status == 200
