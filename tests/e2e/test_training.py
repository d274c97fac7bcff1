# SPDX-License-Identifier: Apache-2.0
"""TensorFlow trains with the TF_CONFIG that it gets: the samples, smaller (training/), to their end."""

import json
import os
import re
import time

import pytest
from e2e_harness import INDEX
from e2e_training import epochs, training

pytest_plugins = ["e2e_harness"]

WORKERS = ["trainer-0", "trainer-1"]
APART = 60 if os.environ.get("E2E_FULL") else 40  # seconds from one late pod to the next


@pytest.fixture(scope="module")
def workers(cluster, webhook):
    """Two workers that are done."""
    with training(cluster, "worker") as run:
        run.finish(*WORKERS)
        yield run


def learns(log):
    """The loss falls, the accuracy rises; the last accuracy."""
    told = epochs(log).values()
    losses = [float(epoch["loss"]) for epoch in told]
    accuracies = [float(epoch["accuracy"]) for epoch in told]
    assert len(told) >= 3
    assert losses[-1] < losses[0] and accuracies[-1] > accuracies[0]
    return accuracies[-1]


def train_together(run, *pods):
    """Pods that hold one model say the same of each epoch, to the last digit."""
    for pod in pods:
        assert f"replicas in sync: {len(pods)}" in run.logs[pod].splitlines()
        assert learns(run.logs[pod]) > 0.85
        assert epochs(run.logs[pod]) == epochs(run.logs[pods[0]])


def test_two_workers_train_one_model(workers):
    train_together(workers, *WORKERS)
    assert sorted(path.name for path in workers.output.glob("trainer/*")) == ["backup", "done", "model"]


def test_a_finished_pod_stays_up_and_one_that_is_made_anew_does_not_train_again(workers):
    workers.namespace.done("delete", "pod", "trainer-1")
    workers.finish("trainer-1")
    assert "Epoch" not in workers.logs["trainer-1"] and "replicas" not in workers.logs["trainer-1"]
    workers.namespace.rolled_out("trainer")
    assert [workers.restarts(pod) for pod in WORKERS] == [0, 0]


def test_a_chief_and_two_workers_train_one_model(cluster, webhook):
    with training(cluster, "chief") as run:
        pods = ["trainer-chief-0", "trainer-chief-1", "trainer-chief-2"]
        run.finish(*pods)
        train_together(run, *pods)


def test_without_the_webhook_a_pod_trains_alone(cluster, webhook):
    with training(cluster, "alone") as run:
        run.finish("trainer-0")
        assert "TF_CONFIG" not in run.namespace.environment("trainer-0")
        train_together(run, "trainer-0")


def test_parameter_servers_train_to_the_end(cluster, webhook):
    """Three StatefulSets of one group, and the evaluator's, which watches."""
    with training(cluster, "parameter-server") as run:
        run.finish("recommender-chief-0", "recommender-evaluator-0")
        assert learns(run.logs["recommender-chief-0"]) > 0.85
        assert (run.output / "recommender/done").exists()
        # How many checkpoints it sees depends on how fast it is.
        assert re.search(r"^5/5 - .* - loss: .* - accuracy: ", run.logs["recommender-evaluator-0"], re.MULTILINE)


# Between two attempts of a pod Kubernetes waits, longer each time.
@pytest.mark.timeout(600, func_only=True)
def test_a_deleted_worker_comes_back_as_it_was_and_the_training_goes_on(cluster, webhook):
    with training(cluster, "interrupted") as run:
        run.wait_for_line("Epoch 4/10", *WORKERS)
        run.keep_logs(*WORKERS)
        before = epochs(run.logs["trainer-0"])
        value = run.namespace.environment("trainer-1")["TF_CONFIG"]
        run.namespace.done("delete", "pod", "trainer-1")
        run.finish(*WORKERS)
        assert run.namespace.environment("trainer-1")["TF_CONFIG"] == value
        assert run.restarts("trainer-0") > 0
        train_together(run, *WORKERS)
        # The epochs that were whole are not trained again.
        after = epochs(run.logs["trainer-0"])
        assert set(after) == set(range(min(after), 11)) and min(after) > 3
        assert float(after[min(after)]["loss"]) < float(before[1]["loss"])


@pytest.mark.timeout(600, func_only=True)
@pytest.mark.parametrize("sample", ["late", "waiting"])
def test_pods_and_names_that_come_late_are_waited_for_where_asked(cluster, webhook, sample):
    """TensorFlow waits for its first worker's name, and dies of another one that is not there yet: that costs restarts,
    and with tfconfig.dev/wait none."""
    def select(index):
        run.namespace.done("patch", "service", "trainer", "--type=merge", "-p",
                           json.dumps({"spec": {"selector": {INDEX: index}}}))

    with training(cluster, sample) as run:
        select("0")
        for pod in WORKERS:
            run.namespace.done("patch", "pod", pod, "--type=json", "-p",
                               '[{"op":"remove","path":"/spec/schedulingGates"}]')
            time.sleep(APART)  # this is what is tested
        select(None)
        run.finish(*WORKERS)
        train_together(run, *WORKERS)
        restarts = [run.restarts(pod) for pod in WORKERS]
        print(f"{sample}: pods {APART} s apart, then their names: restarts {restarts}")
        assert (restarts == [0, 0]) == (sample == "waiting")
        if sample == "waiting":
            print(run.namespace.kubectl("logs", WORKERS[0], "-c", "tfconfig-wait").stdout)


@pytest.mark.timeout(600, func_only=True)
def test_a_training_that_is_scaled_goes_on_with_the_new_size(cluster, webhook):
    pods = [*WORKERS, "trainer-2"]
    with training(cluster, "scaled") as run:
        run.wait_for_line("Epoch 3/40", *WORKERS)
        run.namespace.done("scale", "statefulset/trainer", "--replicas=3")
        run.wait_for_line("replicas in sync: 3", *pods)
        run.namespace.wait_for(lambda: max(epochs(run.log("trainer-2")), default=0) > 0, "an epoch of three", 240)
        begun = min(epochs(run.log("trainer-2")))
        assert begun >= 3
        run.namespace.done("scale", "statefulset/trainer", "--replicas=2")
        run.wait_for_line("replicas in sync: 2", *WORKERS)
        run.finish(*WORKERS)
        train_together(run, *WORKERS)
        assert min(epochs(run.logs["trainer-0"])) >= begun
        assert [event["reason"] for event in run.namespace.list("events") if
                event["source"].get("component") == "tfconfig-webhook"].count("GroupResized") == 2
