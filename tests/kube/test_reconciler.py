# SPDX-License-Identifier: Apache-2.0
"""The reconciler against an API server with faults on demand, and with stage 1 as its webhook."""

import contextlib
import os
import queue
import subprocess
import threading
import time

import pytest
from kube.driver import DRIVER, SANITIZED
from kube.fake_api_server import PATIENCE
from kube.sets_api import EVENTS, SERVICES, SETS, SetsApi, headless_service, is_watch, stateful_set

PROGRAM = DRIVER.parent / "reconcile-driver"
THREE = "worker=trainer.trainer:3"
FIVE = "worker=trainer.trainer:5"


class Reconciler:
    def __init__(self, api, settle):
        self.process = subprocess.Popen([PROGRAM, api.folder.path, str(settle)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, env={**os.environ, **api.env})
        self.lines = []
        self._new = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self._new.put(line.rstrip("\n"))

    def wait_for(self, begin, count=1):
        """The line that starts with this; earlier ones may have been waited for before."""
        end = time.monotonic() + PATIENCE
        while len(found := [line for line in self.lines if line.startswith(begin)]) < count:
            try:
                self.lines.append(self._new.get(timeout=max(0, end - time.monotonic())))
            except queue.Empty:
                raise AssertionError(f"no line begins with {begin!r} among {self.lines}") from None
        return found[count - 1]

    def said(self, begin):
        with contextlib.suppress(queue.Empty):
            while True:
                self.lines.append(self._new.get_nowait())
        return [line for line in self.lines if line.startswith(begin)]

    def stop(self):
        self.process.stdin.close()
        assert self.process.wait(PATIENCE) == 0


@pytest.fixture
def api(tmp_path):
    server = SetsApi(tmp_path)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def reconcile(api):
    started = []

    def start(settle=0):
        started.append(Reconciler(api, settle))
        return started[-1]

    yield start
    for one in started:
        one.stop()


def trainer(api, replicas=3, **details):
    api.add(headless_service())
    return api.apply(stateful_set(replicas=replicas, **details))


def follow_trainer(api, reconcile, settle=0, **details):
    """A reconciler that knows the set `trainer`, which needs nothing."""
    trainer(api, **details)
    reconciler = reconcile(settle)
    reconciler.wait_for("following 1")
    return reconciler


def is_set_patch(request):
    return request.verb == "patch" and request.resource == SETS


def is_real_patch(request):
    return is_set_patch(request) and "dryRun" not in request.query


def settled(api, reconciler):
    """Everything that was due is done: a set that is stale on purpose was restarted after whatever came before it."""
    api.add(stateful_set("marker", replicas=1, namespace="zz"))
    api.add(headless_service("marker", namespace="zz"))
    reconciler.wait_for("restarted zz/marker")


def test_a_scaled_set_is_restarted_once_with_its_new_group(api, reconcile):
    reconciler = follow_trainer(api, reconcile)
    assert api.group_of() == THREE
    api.scale("trainer", 5)
    assert reconciler.wait_for("restarted ") == "restarted ml/trainer 3 5"
    assert api.group_of() == FIVE
    api.scale("trainer", 3)
    assert reconciler.wait_for("restarted ", 2) == "restarted ml/trainer 5 3"
    assert api.group_of() == THREE
    settled(api, reconciler)
    assert api.restarts_of() == 2
    dry, real = [[r for r in api.seen(is_set_patch) if ("dryRun" in r.query) == dry and r.name == "trainer"]
                 for dry in (True, False)]
    assert len(dry) == len(real) == 2


def test_the_event_says_before_and_after(api, reconcile):
    reconciler = follow_trainer(api, reconcile)
    api.scale("trainer", 5)
    reconciler.wait_for("restarted ")
    (event,) = api.events()
    assert (event["type"], event["reason"], event["count"]) == ("Normal", "GroupResized", 1)
    assert event["message"] == "the group has 5 pods now, before 3: the pods are restarted with it"
    assert event["involvedObject"] == {"apiVersion": "apps/v1", "kind": "StatefulSet", "namespace": "ml",
                                       "name": "trainer", "uid": api.find(SETS)["metadata"]["uid"]}
    assert event["source"] == {"component": "tfconfig-webhook"}


def test_a_set_from_before_the_install_gets_its_group(api, reconcile):
    api.add(headless_service())
    api.add(stateful_set(replicas=3))
    reconciler = reconcile()
    assert reconciler.wait_for("restarted ") == "restarted ml/trainer 0 3"
    assert api.group_of() == THREE
    assert [event["message"] for event in api.events("GroupResized")] == [
        "the group has 3 pods now, before none: the pods are restarted with it"]


def test_what_needs_nothing_is_not_touched(api, reconcile):
    trainer(api)
    before = [api.find(SETS)]
    for name, replicas in ("other", 3), ("another", 1):
        before.append(api.add(stateful_set(name, replicas, opted_in=False)))
    api.scale("other", 7)
    fields = api.find(SETS)
    template = fields["spec"]["template"]["metadata"]["annotations"]
    template["tfconfig.dev/group"] = template["tfconfig.dev/group"].replace("cluster.local", "another.domain")
    api.add(fields)
    reconciler = reconcile()
    settled(api, reconciler)
    assert not [r for r in api.seen(is_set_patch) if r.namespace == "ml"]
    assert not api.events("GroupStale")


def test_scaled_to_zero_and_back_is_no_reason_to_restart(api, reconcile):
    reconciler = follow_trainer(api, reconcile)
    api.scale("trainer", 0)
    settled(api, reconciler)
    api.scale("trainer", 3)
    api.add(stateful_set("second", replicas=1))
    reconciler.wait_for("restarted ml/second")
    assert api.restarts_of() == 0


def test_a_burst_of_scales_is_one_restart(api, reconcile):
    reconciler = follow_trainer(api, reconcile, settle=2)
    for replicas in (4, 6, 8, 7, 5):
        api.scale("trainer", replicas)
    assert reconciler.wait_for("restarted ") == "restarted ml/trainer 3 5"
    assert api.restarts_of() == 1
    assert len(api.seen(is_set_patch)) == 2


def test_a_burst_that_ends_where_it_started_is_no_restart(api, reconcile):
    reconciler = follow_trainer(api, reconcile, settle=1)
    api.scale("trainer", 5)
    api.scale("trainer", 3)
    settled(api, reconciler)
    assert api.restarts_of() == 0


def test_on_scale_deny_is_reported_and_left_alone(api, reconcile):
    reconciler = follow_trainer(api, reconcile, annotations={"on-scale": "deny"})
    api.scale("trainer", 5)
    settled(api, reconciler)
    assert api.restarts_of() == 0
    (event,) = api.events("GroupStale")
    assert (event["type"], event["count"]) == ("Warning", 1)
    assert event["message"] == ("the group was made for 3 pods and has 5 now, and tfconfig.dev/on-scale is deny: run "
                                "kubectl -n ml rollout restart statefulset/trainer")


def test_the_rest_of_the_replicas_takes_the_change(api, reconcile):
    reconciler = follow_trainer(api, reconcile, annotations={"cluster": "chief:1,worker:*"})
    api.scale("trainer", 5)
    reconciler.wait_for("restarted ml/trainer 3 5")
    assert api.group_of() == "chief=trainer.trainer:1,worker=trainer.trainer:4"


def test_the_event_on_fixed_counts_says_what_to_edit(api, reconcile):
    reconciler = follow_trainer(api, reconcile, annotations={"cluster": "chief:1,worker:2"})
    api.scale("trainer", 5)
    settled(api, reconciler)
    assert api.restarts_of() == 0
    (event,) = api.events("GroupStale")
    assert event["message"] == (
        'StatefulSet ml/trainer: annotation tfconfig.dev/cluster is "chief:1,worker:2": the counts of StatefulSet '
        "trainer add up to 3, and its spec.replicas is 5: make them equal")


def test_what_was_reported_is_not_reported_again(api, reconcile):
    reconciler = follow_trainer(api, reconcile, annotations={"on-scale": "deny"})
    api.scale("trainer", 5)
    settled(api, reconciler)
    for _ in range(20):
        api.report_status()
    api.add(stateful_set("second", replicas=1))
    reconciler.wait_for("restarted ml/second")
    assert [event["count"] for event in api.events("GroupStale")] == [1]
    assert len([r for r in api.seen(lambda r: r.resource == EVENTS and r.verb == "create")
                if r.json["reason"] == "GroupStale"]) == 1


def test_two_replicas_restart_a_set_once_and_report_it_once(api, reconcile):
    for number in range(5):
        api.add(headless_service(f"set-{number}"))
        api.apply(stateful_set(f"set-{number}"))
    api.apply(stateful_set("denies", annotations={"on-scale": "deny"}))
    api.add(headless_service("denies"))
    api.apply(stateful_set("lonely"))
    replicas = [reconcile(), reconcile()]
    for one in replicas:
        one.wait_for("following 7")
    for number in range(5):
        api.scale(f"set-{number}", 4)
    api.scale("denies", 4)
    api.wait_until(lambda: all(api.group_of(f"set-{n}") == f"worker=set-{n}.set-{n}:4" for n in range(5)), "restarted")
    api.add(stateful_set("second", replicas=1))
    api.wait_until(lambda: api.group_of("second"), "all was seen to")
    assert [api.restarts_of(f"set-{number}") for number in range(5)] == [1] * 5
    api.wait_until(lambda: len(api.events("GroupStale")) == 1, "it is told")
    for one in replicas:
        one.stop()
    restarted = [line for one in replicas for line in one.said("restarted ml/set-")]
    assert len(restarted) == 5
    assert [event["count"] for event in api.events("GroupResized") if "set-" in event["metadata"]["name"]] == [1] * 5
    assert [event["count"] for event in api.events("GroupStale")] == [1]
    asked = api.seen(lambda r: r.resource == EVENTS and r.verb == "create" and r.json["reason"] == "ServiceMissing" and
                     "lonely" in r.json["message"])
    assert len(asked) == 2
    assert [event["count"] for event in api.events("ServiceMissing") if "lonely" in event["message"]] == [1]


def test_a_restart_that_would_not_be_stamped_touches_nothing(api, reconcile):
    """For example in a namespace that the registration leaves out."""
    reconciler = follow_trainer(api, reconcile)
    api.admits = api.admits_dry_runs = False
    api.scale("trainer", 5)
    api.wait_until(lambda: api.events("GroupStale"), "it is told")
    assert api.restarts_of() == 0
    assert api.events("GroupStale")[0]["message"] == (
        "the webhook leaves this namespace out, so a restart would not pass it: no pod gets a TF_CONFIG")


def test_a_restart_that_is_refused_is_reported(api, reconcile):
    reconciler = follow_trainer(api, reconcile)
    with api.fail(422, 'admission webhook "policy.example.com" denied the request: not on a Monday',
                  where=is_set_patch):
        api.scale("trainer", 5)
        api.wait_until(lambda: api.events("GroupStale"), "it is told")
    assert api.events("GroupStale")[0]["message"].startswith(
        "the group was made for 3 pods and has 5 now, and the set can't be restarted: PATCH ")
    assert "not on a Monday" in api.events("GroupStale")[0]["message"]
    assert not api.seen(is_real_patch)


def test_a_set_that_changes_meanwhile_is_checked_again(api, reconcile):
    reconciler = follow_trainer(api, reconcile)
    with api.meanwhile(api.report_status, where=is_real_patch):
        api.scale("trainer", 5)
        reconciler.wait_for("restarted ml/trainer 3 5")
    assert api.restarts_of() == 1


def test_a_deleted_set_is_forgotten(api, reconcile):
    reconciler = follow_trainer(api, reconcile, settle=1)
    api.scale("trainer", 5)
    api.remove(SETS)
    reconciler.wait_for("following 0")
    settled(api, reconciler)
    assert not api.events("GroupStale") and not reconciler.said("trouble")


def test_a_set_that_opts_out_is_forgotten(api, reconcile):
    fields = trainer(api)
    reconciler = reconcile()
    reconciler.wait_for("following 1")
    fields["metadata"]["annotations"] = {}
    api.apply(fields)
    reconciler.wait_for("following 0")
    assert api.restarts_of() == 0


# The watch


def test_the_list_comes_in_pages(api, reconcile):
    for number in range(60):
        api.add(stateful_set(f"other-{number:02}", opted_in=False))
    trainer(api)
    reconcile().wait_for("following 1")
    lists = api.seen(lambda r: r.verb == "list")
    assert [r.query.get("limit") for r in lists] == ["25"] * 3
    assert [r.query.get("continue", "").split(".")[0] for r in lists] == ["", "25", "50"]


@pytest.mark.parametrize("end", ["end_watches", "cut_watches"])
def test_a_watch_continues_from_where_it_ended(api, reconcile, end):
    trainer(api)
    reconciler = reconcile()
    api.wait_for(is_watch)
    api.scale("trainer", 4)
    reconciler.wait_for("restarted ml/trainer 3 4")
    getattr(api, end)()
    api.scale("trainer", 5)
    reconciler.wait_for("restarted ml/trainer 4 5")
    first, second = api.wait_for(is_watch, 2)[:2]
    assert int(second.query["resourceVersion"]) > int(first.query["resourceVersion"])
    assert len(api.seen(lambda r: r.verb == "list")) == 1
    assert first.query["allowWatchBookmarks"] == "true"


def test_bookmarks_advance_the_version(api, reconcile):
    trainer(api)
    reconcile().wait_for("following 1")
    (watch,) = api.wait_for(is_watch)
    for _ in range(3):
        api.add(headless_service("other"))  # another resource: nothing but a bookmark comes
    api.wait_until(lambda: watch.events > 0, "a bookmark")
    version = int(api.find(SERVICES, "other")["metadata"]["resourceVersion"])
    api.wait_until(lambda: watch.events >= 1, "bookmarks")
    time_of_last = version
    api.end_watches()
    second = api.wait_for(is_watch, 2)[1]
    assert int(watch.query["resourceVersion"]) < int(second.query["resourceVersion"]) <= time_of_last


@pytest.mark.parametrize("how", ["refused", "event"])
def test_a_version_that_is_too_old_means_a_new_list(api, reconcile, how):
    trainer(api)
    api.add(headless_service("gone"))
    api.apply(stateful_set("gone"))
    reconciler = reconcile()
    reconciler.wait_for("following 2")
    api.wait_for(is_watch)
    if how == "event":
        api.break_watches()
    else:
        api.stop()
        api.remove(SETS, "gone")
        api.scale("trainer", 5)
        api.oldest = api._version
        api.start()
        reconciler.wait_for("following 1")
        reconciler.wait_for("restarted ml/trainer 3 5")
    api.wait_for(lambda r: r.verb == "list", 2)
    api.wait_for(is_watch, 2)


def test_while_the_api_server_is_away_it_waits(api, reconcile):
    reconciler = follow_trainer(api, reconcile)
    api.stop()
    reconciler.wait_for("trouble ")
    api.scale("trainer", 5)
    api.start()
    reconciler.wait_for("restarted ml/trainer 3 5")
    reconciler.wait_for("well")
    assert len(reconciler.said("well")) == len(reconciler.said("trouble ")) == 1


@pytest.mark.parametrize("verb", ["list", "watch"])
def test_without_the_rights_it_says_so_once(api, reconcile, verb):
    trainer(api)
    api.role[verb] = set()
    reconciler = reconcile()
    reconciler.wait_for("forbidden ")
    api.wait_for(lambda r: r.verb == verb and r.status == 403, 3)
    assert len(reconciler.said("forbidden ")) == 1
    api.role[verb] = {SETS}
    reconciler.wait_for("well")
    api.scale("trainer", 5)
    reconciler.wait_for("restarted ml/trainer 3 5")


def test_without_the_right_to_patch_it_says_so_and_waits(api, reconcile):
    trainer(api)
    api.role["patch"] = {EVENTS}
    reconciler = reconcile()
    reconciler.wait_for("following 1")
    api.scale("trainer", 5)
    api.wait_until(lambda: api.events("GroupStale"), "it is told")
    assert "cannot patch resource" in api.events("GroupStale")[0]["message"]
    api.role["patch"].add(SETS)
    settled(api, reconciler)
    assert len(api.seen(lambda r: is_set_patch(r) and r.name == "trainer")) == 1


@pytest.mark.parametrize("resource", [SETS, SERVICES])
def test_rights_that_are_taken_away_are_reported_once(api, reconcile, resource):
    """The watch goes on, since an API server checks rights only when it starts."""
    trainer(api)
    api.add(headless_service("other"))
    api.apply(stateful_set("other"))
    reconciler = reconcile()
    reconciler.wait_for("following 2")
    settled(api, reconciler)
    api.role["get"] = api.role["get"] - {resource}
    for name in "trainer", "other":
        api.scale(name, 5)
    reconciler.wait_for("forbidden ")
    if resource == SERVICES:
        reconciler.wait_for("restarted ml/trainer")
        reconciler.wait_for("restarted ml/other")
    api.report_status()
    assert len(reconciler.said("forbidden ")) == 1 and not reconciler.said("well") and not reconciler.said("failed")


def test_what_is_refused_in_one_namespace_holds_up_no_other(api, reconcile):
    reconciler = follow_trainer(api, reconcile, annotations={"on-scale": "deny"})
    with api.fail(403, "exceeded quota: count/events", where=lambda r: r.resource == EVENTS and r.namespace == "ml"):
        api.scale("trainer", 5)
        api.wait_for(lambda r: r.resource == EVENTS and r.status == 403)
        settled(api, reconciler)
    assert not reconciler.said("forbidden") and not reconciler.said("trouble")


@pytest.mark.parametrize("when", ["the event is told", "the set is patched", "it was looked at"])
def test_a_scale_that_comes_in_the_middle_is_not_lost(api, reconcile, when):
    reconciler = follow_trainer(api, reconcile)
    where = {"the event is told": lambda r: r.resource == EVENTS, "the set is patched": is_real_patch,
             "it was looked at": lambda r: is_set_patch(r) and not is_real_patch(r)}[when]
    with api.meanwhile(lambda: api.scale("trainer", 6), where=where):
        api.scale("trainer", 5)
        api.wait_until(lambda: api.group_of() == "worker=trainer.trainer:6", "the last size")


def test_a_scale_in_the_middle_is_settled_too(api, reconcile):
    reconciler = follow_trainer(api, reconcile, settle=2)
    scaled = []

    def scale():
        scaled.append(time.monotonic())
        api.scale("trainer", 6)

    with api.meanwhile(scale, where=is_real_patch):
        api.scale("trainer", 5)
        reconciler.wait_for("restarted ml/trainer 3 6")
    assert time.monotonic() - scaled[0] >= 2
    assert api.restarts_of() == 1


def test_a_stamp_of_a_newer_version_is_left_alone(api, reconcile):
    """Replicas of two versions run side by side during an upgrade."""
    fields = trainer(api)
    template = fields["spec"]["template"]["metadata"]["annotations"]
    template["tfconfig.dev/group"] = template["tfconfig.dev/group"].replace('"version":1', '"version":2')
    api.add(fields)
    reconciler = reconcile()
    settled(api, reconciler)
    assert api.restarts_of() == 0 and not api.events("GroupStale")


def test_a_restart_that_does_not_help_is_not_repeated(api, reconcile):
    """The dry run was stamped and the restart was not, as with a webhook that is skipped when it does not answer."""
    reconciler = follow_trainer(api, reconcile)
    api.admits = False
    api.scale("trainer", 5)
    api.wait_until(lambda: api.events("GroupStale"), "it is told")
    time.sleep(6)  # in which it would be restarted each second
    assert api.restarts_of() <= 3


def test_a_set_that_is_scaled_again_and_again_is_restarted_less_often(api, reconcile):
    reconciler = follow_trainer(api, reconcile)
    for number in range(1, 4):
        api.scale("trainer", 3 + number)
        reconciler.wait_for("restarted ml/trainer", number)
    api.scale("trainer", 9)
    settled(api, reconciler)
    assert len(reconciler.said("restarted ml/trainer")) == 3


def test_endless_conflicts_are_retried_less_often(api, reconcile):
    reconciler = follow_trainer(api, reconcile)
    with api.fail(409, "a policy that says so", where=is_set_patch):
        api.scale("trainer", 5)
        first, *_, last = api.wait_for(is_set_patch, 3)
        assert first is not last
        time.sleep(5)  # in which it would have tried five times
        assert len(api.seen(is_set_patch)) <= 5


def test_a_failure_is_reported_once(api, reconcile):
    for number in range(4):
        api.add(headless_service(f"set-{number}"))
        api.apply(stateful_set(f"set-{number}"))
    reconciler = reconcile()
    reconciler.wait_for("following 4")
    with api.fail(500, "out of order", where=is_set_patch):
        for number in range(4):
            api.scale(f"set-{number}", 5)
        reconciler.wait_for("failed ", 4)
    assert not reconciler.said("trouble") and not reconciler.said("well")
    assert len(reconciler.said("failed ")) == 4


def test_a_set_that_was_refused_is_settled_like_any_other(api, reconcile):
    reconciler = follow_trainer(api, reconcile, settle=1)
    with api.fail(422, "not on a Monday", where=is_set_patch):
        api.scale("trainer", 5)
        api.wait_until(lambda: api.events("GroupStale"), "it is told")
        time.sleep(6)  # longer than any settling
    before = time.monotonic()
    api.scale("trainer", 6)
    reconciler.wait_for("restarted ml/trainer 3 6")
    assert time.monotonic() - before >= 1


def test_another_domain_is_no_reason_to_complain_of_the_size(api, reconcile):
    """A set whose stamp has short names is not measured by the names that it would get now."""
    api.add(headless_service())
    fields = api.apply(stateful_set(replicas=2))
    annotations = fields["spec"]["template"]["metadata"]["annotations"]
    annotations["tfconfig.dev/group"] = annotations["tfconfig.dev/group"].replace("cluster.local", "").replace(
        "worker=trainer.trainer:2", "worker=trainer.trainer:3400")
    fields["spec"]["replicas"] = 3400
    api.add(fields)
    reconciler = reconcile()
    settled(api, reconciler)
    assert not api.events("GroupStale")


def test_an_event_that_repeats_is_counted(api, reconcile):
    reconciler = follow_trainer(api, reconcile)
    for number, replicas in enumerate((5, 3, 5), 1):
        api.scale("trainer", replicas)
        reconciler.wait_for("restarted ", number)
    assert sorted(event["count"] for event in api.events("GroupResized")) == [1, 2]


def test_an_update_strategy_that_rolls_nothing_is_reported(api, reconcile):
    trainer(api)
    api.change(updateStrategy={"type": "OnDelete"})
    reconciler = reconcile()
    reconciler.wait_for("following 1")
    api.scale("trainer", 5)
    reconciler.wait_for("restarted ml/trainer")
    assert api.events("GroupResized")[0]["message"] == (
        "the group has 5 pods now, before 3: its updateStrategy decides when each pod gets it")


# The list


@pytest.mark.parametrize("body", [b"{}", b'{"metadata":{"resourceVersion":"7","continue":"a b"},"items":[]}'])
def test_an_answer_that_is_not_a_list_is_retried_slowly(api, reconcile, body):
    with api.say(body, where=lambda r: r.verb == "list"):
        reconciler = reconcile()
        reconciler.wait_for("trouble ")
        api.wait_for(lambda r: r.verb == "list", 2)
        assert len(api.seen(lambda r: r.verb == "list")) <= 3
    reconciler.wait_for("well")


def test_a_place_in_the_list_that_is_too_old_means_a_new_list(api, reconcile):
    for number in range(30):
        api.add(stateful_set(f"other-{number:02}", opted_in=False))
    trainer(api)

    def expire():
        api.add(headless_service("another"))
        api.oldest = api._version

    with api.meanwhile(expire, where=lambda r: "continue" in r.query):
        reconcile().wait_for("following 1")
    assert len(api.seen(lambda r: r.verb == "list")) == 4


def test_an_object_that_is_too_large_is_skipped(api, reconcile):
    """A tree needs many times the bytes of its text."""
    for number in range(3):
        api.add(stateful_set(f"a-{number}", opted_in=False))
    for number in range(60):
        api.add(stateful_set(f"c-{number}", opted_in=False))
    giant = stateful_set("b-giant", opted_in=False)
    giant["spec"]["template"]["spec"]["containers"][0]["args"] = [""] * 200_000
    api.add(giant)
    reconciler = follow_trainer(api, reconcile)
    reconciler.wait_for("skipped ")
    assert len(api.seen(lambda r: r.verb == "list")) < 20
    api.change("b-giant", replicas=9)
    api.scale("trainer", 5)
    reconciler.wait_for("restarted ml/trainer 3 5")
    assert not reconciler.said("trouble")


# The Service


def test_a_missing_service_is_reported_and_so_is_its_return(api, reconcile):
    api.apply(stateful_set())
    reconciler = reconcile()
    api.wait_until(lambda: api.events("ServiceMissing"), "it is told")
    (event,) = api.events()
    assert event["type"] == "Warning"
    assert event["message"] == "the pods find each other by a headless Service, which is missing: Service trainer"
    api.add(headless_service())
    api.scale("trainer", 4)
    reconciler.wait_for("restarted ml/trainer 3 4")
    settled(api, reconciler)
    assert [event["count"] for event in api.events("ServiceMissing")] == [1]
    assert not api.events("ServiceNotReady")


@pytest.mark.parametrize("change, message", [
    ({"clusterIP": "10.96.0.7"}, "a Service with a cluster IP gives pods no names: set clusterIP: None on Service trainer"),
    ({"publishNotReadyAddresses": False},
     "no pod has a name before it is ready: set publishNotReadyAddresses: true on Service trainer"),
    ({"selector": {"app": "other"}}, "the pods are not selected by app=other, as their template lacks it: Service trainer"),
])
def test_a_service_that_gives_no_names_is_reported(api, reconcile, change, message):
    api.apply(stateful_set())
    api.add(headless_service(**change))
    reconcile()
    api.wait_until(lambda: api.events("ServiceNotReady"), "it is told")
    assert [event["message"] for event in api.events()] == [message]


def test_a_sound_service_is_asked_for_once(api, reconcile):
    reconciler = follow_trainer(api, reconcile)
    settled(api, reconciler)
    for _ in range(10):
        api.report_status()
    api.add(stateful_set("second", replicas=1))
    reconciler.wait_for("restarted ml/second")
    assert len(api.seen(lambda r: r.resource == SERVICES and r.name == "trainer")) == 1


# Resources


@pytest.mark.skipif(SANITIZED, reason="a sanitizer's memory is not the program's")
def test_memory_does_not_grow_with_sets_that_are_not_ours(api, reconcile):
    def resident(reconciler):
        with open(f"/proc/{reconciler.process.pid}/status", encoding="ascii") as lines:
            return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024

    trainer(api)
    few = reconcile()
    few.wait_for("following 1")
    api.wait_for(is_watch)
    small = resident(few)
    few.stop()
    for number in range(2000):
        api.add(stateful_set(f"other-{number}", opted_in=False))
    many = reconcile()
    many.wait_for("following 1")
    api.wait_for(is_watch, 2)
    assert resident(many) < small + 2 * 1024 * 1024


def test_it_ends_while_the_api_server_hangs(api, reconcile):
    trainer(api)
    with api.hang():
        reconciler = reconcile()
        api.wait_for(lambda r: r.verb == "list")
        reconciler.stop()
