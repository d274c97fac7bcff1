# SPDX-License-Identifier: Apache-2.0
"""`tfconfig-webhook wait`: which names it asks for and how often, what it prints, and how it ends."""

import json
import os
import pathlib
import signal
import subprocess

import pytest
from dns_harness import PATIENCE, dns, needs_network, network, wait  # noqa: F401

from conftest import program_path

pytestmark = pytest.mark.usefixtures("program")
DOMAIN = "ml.svc.cluster.local"
# Measured without a sanitizer, whose own memory would count.
SANITIZED = "build/asan" in program_path() or "build/tsan" in program_path()


def names(count, start=0):
    return [f"trainer-{ordinal}.hl.{DOMAIN}" for ordinal in range(start, start + count)]


def tf_config(cluster, role="worker", index=0):
    return json.dumps({"cluster": cluster, "task": {"type": role, "index": index}}, separators=(",", ":"))


def workers(hosts):
    return tf_config({"worker": [f"{host}:2222" for host in hosts]})


# ---- without a name server ----


def run(value, *arguments):
    environment = {key: text for key, text in os.environ.items() if key != "TF_CONFIG"}
    if value is not None:
        environment["TF_CONFIG"] = value
    done = subprocess.run([program_path(), "wait", *arguments], capture_output=True, text=True, timeout=PATIENCE,
                          env=environment)
    return done.returncode, done.stdout, done.stderr


def test_addresses_need_no_name_server():
    assert run(tf_config({"worker": ["127.0.0.1:2222", "[::1]:2222"]})) == (0, "2 of 2 peers resolve\n", "")


@pytest.mark.parametrize("value, problem", [
    (None, "TF_CONFIG is not set"), ("", "TF_CONFIG: it is not JSON"), ("{", "TF_CONFIG: it is not JSON"),
    ("{}", "lists no address"), ('{"cluster":{"worker":[]}}', "lists no address"),
    ('{"cluster":["a:1"]}', "lists no address"), ('{"cluster":{"worker":["a"]}}', "must be host:port"),
])
def test_a_variable_that_is_missing_or_broken_is_one_line_and_exit_1(value, problem):
    code, output, errors = run(value)
    assert (code, output) == (1, "")
    assert errors.startswith("tfconfig-webhook wait: ") and errors.count("\n") == 1
    assert problem in errors


@pytest.mark.parametrize("arguments", [["--timeout", "0"], ["--timeout", "soon"], ["--timeout"], ["--nonsense"], ["x"]])
def test_wrong_usage_is_one_line_and_exit_2(arguments):
    code, output, errors = run(workers(names(1)), *arguments)
    assert (code, output, errors.count("\n")) == (2, "", 1)
    assert arguments[0] in errors


# ---- with one ----


@needs_network
class TestQuestions:
    def test_full_names_are_asked_for_once_as_they_are(self, dns, wait):
        dns.add(*names(12))
        assert wait(workers(names(12))).end() == (0, "12 of 12 peers resolve\n", "")
        assert dns.questions == [("A", name) for name in names(12)]

    def test_shorter_names_need_the_search_list(self, dns, wait):
        dns.add(*names(2))
        assert wait(workers(["trainer-0.hl", "trainer-1.hl.ml.svc"])).end() == (0, "2 of 2 peers resolve\n", "")
        assert names(1)[0] in dns.asked() and names(1, start=1)[0] in dns.asked()

    def test_a_missing_full_name_is_not_searched_for(self, dns, wait):
        waiting = wait(workers(names(1)))
        assert waiting.line() == "0 of 1 peers resolve, waiting for trainer-0"
        dns.wait_for_questions(4)
        assert {name for _, name in dns.questions} == set(names(1))

    def test_every_role_and_every_shape_of_a_list_counts(self, dns, wait):
        dns.add(*names(4))
        chief, worker, ps, evaluator = (f"{name}:2222" for name in names(4))
        value = tf_config({"chief": [chief], "worker": {"0": worker}, "ps": [ps], "evaluator": [evaluator]})
        assert wait(value).end() == (0, "4 of 4 peers resolve\n", "")
        assert dns.asked() == names(4)

    def test_a_host_of_two_addresses_counts_once(self, dns, wait):
        dns.add(*names(1))
        value = tf_config({"worker": [f"{names(1)[0]}:2222", f"{names(1)[0]}:2223"]})
        assert wait(value).end() == (0, "1 of 1 peers resolve\n", "")

    def test_ipv6_will_do_and_is_asked_for_first_from_then_on(self, dns, wait):
        dns.add(*names(10), types=("AAAA",))
        assert wait(workers(names(10))).end() == (0, "10 of 10 peers resolve\n", "")
        assert dns.asked("A") == names(1)
        assert dns.asked("AAAA") == names(10)

    def test_a_name_that_resolved_is_not_asked_for_again(self, dns, wait):
        dns.add(*names(3))
        waiting = wait(workers(names(4)))
        assert waiting.line() == "3 of 4 peers resolve, waiting for trainer-3"
        dns.wait_for_questions(4, name=names(4)[3])
        dns.add(*names(4))
        assert waiting.end() == (0, "4 of 4 peers resolve\n", "")
        assert [name for name in dns.asked() if name != names(4)[3]] == names(3)

    def test_a_large_group_that_is_there_is_asked_for_once(self, dns, wait):
        dns.add(*names(3000))
        assert wait(workers(names(3000))).end() == (0, "3000 of 3000 peers resolve\n", "")
        assert dns.asked() == names(3000) and dns.asked("AAAA") == []

    def test_a_large_group_that_is_missing_costs_few_questions_a_round(self, dns, wait):
        waiting = wait(workers(names(3000)))
        assert waiting.line() == "0 of 3000 peers resolve, waiting for trainer-0, trainer-1, trainer-2 and 2997 more"
        dns.wait_for_questions(3 * 16)
        assert set(dns.asked()) == set(names(8))

    def test_in_a_small_group_every_missing_name_is_asked_for(self, dns, wait):
        dns.add(names(150)[149])
        waiting = wait(workers(names(150)))
        assert waiting.line() == "1 of 150 peers resolve, waiting for trainer-0, trainer-1, trainer-2 and 146 more"


@needs_network
class TestProgress:
    def test_a_line_for_each_change_and_none_between(self, dns, wait):
        waiting = wait(workers(names(8)))
        assert waiting.line() == "0 of 8 peers resolve, waiting for trainer-0, trainer-1, trainer-2 and 5 more"
        dns.wait_for_questions(3, name=names(8)[7])  # another round, at which nothing has changed
        dns.add(*names(5))
        assert waiting.line() == "5 of 8 peers resolve, waiting for trainer-5, trainer-6, trainer-7"
        dns.add(*names(5), *names(2, start=6))
        assert waiting.line() == "7 of 8 peers resolve, waiting for trainer-5"
        dns.add(*names(8))
        assert waiting.end() == (0, "8 of 8 peers resolve\n", "")

    def test_trouble_with_dns_is_told_and_got_over(self, dns, wait):
        dns.mode = "broken"
        dns.add(*names(3))
        waiting = wait(workers(names(3)))
        assert waiting.line() == ("0 of 3 peers resolve, waiting for trainer-0, trainer-1, trainer-2 "
                                  "(Temporary failure in name resolution)")
        assert set(dns.asked()) == set(names(1)), "a server in trouble is asked for one name a round"
        dns.mode = "right"
        assert waiting.end() == (0, "3 of 3 peers resolve\n", "")


@needs_network
class TestEnds:
    def test_the_time_out_lists_the_missing(self, dns, wait):
        dns.add(*names(5))
        code, output, errors = wait(workers(names(8)), "--timeout", "1s").end()
        assert (code, output) == (1, "5 of 8 peers resolve, waiting for trainer-5, trainer-6, trainer-7\n")
        assert errors == ("tfconfig-webhook wait: after 1 s 3 of 8 peers do not resolve: trainer-5, trainer-6, "
                          "trainer-7\n")

    def test_a_long_list_of_the_missing_is_cut(self, dns, wait):
        code, _, errors = wait(workers(names(100)), "--timeout=1").end()
        assert code == 1
        assert errors.startswith("tfconfig-webhook wait: after 1 s 100 of 100 peers do not resolve: trainer-0, ")
        assert errors.endswith(", trainer-19 and 80 more\n")

    def test_the_time_out_comes_while_dns_is_silent(self, network, dns, wait):
        dns.mode = "silent"
        code, _, errors = wait(workers(names(2)), "--timeout=1").end()
        assert code == 1
        assert "2 of 2 peers do not resolve" in errors and errors.endswith(": trainer-0, trainer-1\n")

    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
    @pytest.mark.parametrize("mode", ["right", "silent"])
    def test_a_signal_ends_it(self, dns, wait, number, mode):
        dns.mode = mode
        waiting = wait(workers(names(2)))
        dns.wait_for_questions(1)
        waiting.process.send_signal(number)
        code, _, errors = waiting.end()
        assert code == 1
        assert errors.startswith("tfconfig-webhook wait: stopped, and 2 of 2 peers do not resolve")

    def test_a_signal_ends_it_as_process_1_of_a_container(self, dns, wait):
        """Where a signal without a handler would be ignored."""
        waiting = wait(workers(names(2)), inside=["unshare", "--pid", "--fork"])
        dns.wait_for_questions(1)
        (child,) = subprocess.run(["ps", "-o", "pid=", "--ppid", str(waiting.process.pid)], capture_output=True,
                                  text=True, check=True).stdout.split()
        os.kill(int(child), signal.SIGTERM)
        code, _, errors = waiting.end()
        assert code == 1 and "wait: stopped" in errors


@needs_network
@pytest.mark.skipif(SANITIZED, reason="with a sanitizer, memory cannot be compared")
def test_memory_with_the_largest_groups(dns, wait):
    """The init container's limit is 16 MiB, and what is mapped of the program and its libraries may count too."""
    for hosts in names(3000), [f"trainer-{ordinal}.hl" for ordinal in range(5700)]:
        dns.names.clear()
        dns.add(*names(len(hosts) - 1))
        waiting = wait(workers(hosts))
        assert waiting.line().startswith(f"{len(hosts) - 1} of {len(hosts)} peers resolve")
        status = dict(line.split(":\t") for line in
                      pathlib.Path(f"/proc/{waiting.process.pid}/status").read_text().splitlines())
        print(f"\n{len(hosts)} names: {status['VmHWM']} at the most, {status['RssAnon']} of its own")
        assert int(status["VmHWM"].split()[0]) < 12 * 1024
