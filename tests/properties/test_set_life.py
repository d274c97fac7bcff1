# SPDX-License-Identifier: Apache-2.0
"""A StatefulSet's whole life, in any order of events, against the model.

Applied, scaled behind the webhook's back, restarted, annotated, undone, edited by hand, opted out and in; and at any
time a pod is created, from the current template or from an older revision, by a webhook that was restarted with
another cluster domain. The machine remembers which group each stamp stands for: the model never reads a stamp.
"""

import copy

import pytest
from hypothesis import event
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import changes
import oracle
import strategies
from driver import ask, check_group
from kubernetes_objects import GROUP, PREFIX, ordinals_of, pod_of
from oracle import Stamps
from profiles import times

pytestmark = pytest.mark.usefixtures("program")

NAMESPACE = "ml"


class SetLife(RuleBasedStateMachine):
    """A set from its creation on; each rule is something that somebody does."""

    def __init__(self):
        super().__init__()
        self.stored = None  # the object in etcd
        self.domain = ""  # the webhook's flag
        self.groups = {None: None}  # stamp -> the group that it stands for
        self.revisions = []  # pod templates, oldest first, with their stamps
        self.clock = 0
        self.values = {}  # what pods of one revision hold: (revision, ordinal) -> value

    # ---- what happens to every request ----

    def update(self, change):
        """Changes a copy of the stored object, sends it through stage 1 and stores what comes out."""
        new = copy.deepcopy(self.stored)
        change(new)
        self.submit(new, self.stored, "UPDATE")

    def submit(self, new, old, operation):
        old_group = self.groups.get(oracle.stamp_of(old)) if old else None
        answer = ask(new, old, operation=operation, domain=self.domain, namespace=NAMESPACE)
        try:
            verdict = oracle.decide(new, old, operation, NAMESPACE, self.domain, old_group)
        except oracle.Denied as reason:
            event("set denied")
            assert not answer.allowed, f"allowed, but: {reason}"
            return
        except oracle.Unsettled:
            return
        event(f"set {verdict.stamps.name}")
        assert answer.allowed, f"denied, but the model says {verdict.stamps.value}: {answer.message}"
        stamp = oracle.stamp_of(answer.object)
        assert oracle.tidy(answer.object) == oracle.stamped(new, old, verdict, stamp)
        again = ask(answer.object, old, operation=operation, domain=self.domain, namespace=NAMESPACE)
        assert again.allowed and again.patch is None, again
        if verdict.stamps is Stamps.FRESH:
            assert stamp is not None
            assert self.groups.setdefault(stamp, verdict.group) == verdict.group, "one stamp for two groups"
        self.stored = answer.object
        template = oracle.tidy(answer.object)["spec"]["template"]
        if not self.revisions or template != self.revisions[-1]:
            self.revisions.append(template)

    # ---- events ----

    @initialize(stateful_set=strategies.stateful_sets(), domain=strategies.domains)
    def create(self, stateful_set, domain):
        self.domain = domain
        stateful_set["metadata"]["namespace"] = NAMESPACE
        self.manifest = copy.deepcopy(stateful_set)
        self.submit(stateful_set, None, "CREATE")

    @rule(domain=strategies.domains)
    def restart_the_webhook(self, domain):
        self.domain = domain

    @rule(replicas=st.integers(0, 7))
    def scale(self, replicas):
        """The scale subresource: stage 1 is not asked."""
        self.stored["spec"]["replicas"] = replicas

    @rule(replicas=st.integers(0, 7))
    def set_replicas(self, replicas):
        self.update(lambda new: new["spec"].update(replicas=replicas))

    @rule()
    def rollout_restart(self):
        self.clock += 1
        self.update(lambda new: changes.restart(new, f"time {self.clock}"))

    @rule(keep_stamps=st.booleans())
    def apply_the_manifest_again(self, keep_stamps):
        """kubectl's merge keeps what others put there; an owner of the whole template takes the stamps away."""
        def apply(new):
            kept = {key: new["metadata"][key] for key in ("labels",) if key in new["metadata"]}
            manifest = copy.deepcopy(self.manifest)
            if keep_stamps:
                template = oracle.stamped(manifest, new, oracle.Verdict(Stamps.OLD), None)["spec"]["template"]
                manifest["spec"]["template"] = template
            new.clear()
            new.update(manifest)
            new["metadata"].update(kept)

        self.update(apply)

    @rule(name=st.sampled_from(["port", "address", "cluster", "overwrite", "rpc-layer", "on-scale", "sparse",
                                  "wait"]),
          data=st.data())
    def annotate(self, name, data):
        n = oracle.replicas_of(self.stored)
        value = data.draw(st.sampled_from({
            "port": ["2222", "2222", "777", "x"], "address": ["fqdn", "short"], "overwrite": ["true", "false"],
            "cluster": ["worker:*", "chief:1,worker:*", f"worker:{n}", f"worker:{n - 1},ps:1", "ps:1,worker:*",
                        "worker:*,evaluator:1", "worker:3"],
            "rpc-layer": ["grpc", "http"], "on-scale": ["restart", "deny"], "sparse": ["true", "false"],
            "wait": ["true", "false"]}[name]))
        self.update(changes.annotated(name, value))

    @rule(name=st.sampled_from(["port", "address", "cluster", "overwrite", "rpc-layer", "sparse", "wait", "inject"]))
    def remove_the_annotation(self, name):
        self.update(lambda new: (new["metadata"].get("annotations") or {}).pop(PREFIX + name, None))

    @rule()
    def opt_out(self):
        self.update(changes.opt_out)

    @rule()
    def opt_in(self):
        self.update(changes.annotated("inject", "true"))

    @rule(change=st.sampled_from(sorted(changes.irrelevant)))
    def change_nothing_that_matters(self, change):
        self.update(changes.irrelevant[change])

    @rule(data=st.data())
    def undo(self, data):
        """kubectl rollout undo: an older template comes back, its stamp with it."""
        template = data.draw(st.sampled_from(self.revisions))
        self.update(lambda new: new["spec"].update(template=copy.deepcopy(template)))

    @rule(service=st.sampled_from(["hl", "elsewhere"]))
    def change_the_service(self, service):
        """Kubernetes forbids it today; the stamps have to follow all the same."""
        self.update(lambda new: new["spec"].update(serviceName=service))

    # ---- pods, at any time ----

    @precondition(lambda self: self.revisions)
    @rule(back=st.integers(0, 2), ordinal=st.integers(0, 105), beyond=st.integers(0, 2))
    def create_a_pod(self, back, ordinal, beyond):
        """The controller makes pods of an older revision too (a partition, a rollout under way)."""
        revision = max(0, len(self.revisions) - 1 - back)
        self.check_pod(revision, ordinal if beyond == 2 else oracle.first_ordinal(self.stored) + ordinal % 8)

    @precondition(lambda self: self.revisions)
    @rule()
    def create_all_pods(self):
        for ordinal in ordinals_of(self.stored):
            self.check_pod(len(self.revisions) - 1, ordinal)

    def check_pod(self, revision, ordinal):
        owner = copy.deepcopy(self.stored)
        owner["spec"]["template"] = copy.deepcopy(self.revisions[revision])
        pod = pod_of(owner, ordinal)
        group = self.groups.get((pod["metadata"].get("annotations") or {}).get(GROUP))
        answer = ask(pod, domain=self.domain, namespace=NAMESPACE)
        try:
            expected, task = oracle.decide_pod(pod, group)
        except oracle.Denied as reason:
            event("pod denied")
            assert not answer.allowed, f"allowed, but: {reason}"
            return
        event("pod patched" if task else "pod unchanged")
        assert answer.allowed, answer
        assert answer.object == expected
        if task:
            value = task[2]
            assert self.values.setdefault((revision, ordinal), value) == value, "another value for the same pod"

    @invariant()
    def pods_of_a_revision_agree(self):
        for revision in {revision for revision, _ in self.values}:
            stamp = (self.revisions[revision].get("metadata", {}).get("annotations") or {}).get(GROUP)
            check_group([(self.groups[stamp], value) for (of, _), value in self.values.items() if of == revision])

    @invariant()
    def a_stamp_is_one_that_the_webhook_made(self):
        if self.stored is not None:
            assert oracle.stamp_of(self.stored) in self.groups
            assert oracle.label_of(self.stored) in (None, "true")


SetLife.TestCase.settings = times(0.5, stateful_step_count=25)
TestSetLife = SetLife.TestCase
