# SPDX-License-Identifier: Apache-2.0
"""What must hold for every StatefulSet and every pod, tried over generated ones."""

import base64
import copy
import json

import pytest
from hypothesis import assume, event, given, target
from hypothesis import strategies as st

import changes
import oracle
import strategies
from conftest import run_review
from driver import ask, ask_all, check_group
from kubernetes_objects import GROUP, INDEX, INJECT, ROLE, ordinals_of, pod_of, review_of, tf_config_of
from oracle import Stamps
from profiles import times

pytestmark = pytest.mark.usefixtures("program")

def created(stateful_set, domain):
    """The set as it is stored after CREATE, and its group."""
    namespace = stateful_set["metadata"]["namespace"]
    verdict = oracle.decide(stateful_set, None, "CREATE", namespace, domain)
    answer = ask(stateful_set, domain=domain, namespace=namespace)
    assert answer.allowed, answer
    return answer.object, verdict.group


def check_against_the_model(stateful_set, old, operation, domain, old_group=None):
    """Asks for a set and compares with the model; returns (the stored object, what its stamp says), None if denied."""
    namespace = stateful_set["metadata"]["namespace"]
    answer = ask(stateful_set, old, operation=operation, domain=domain, namespace=namespace)
    try:
        verdict = oracle.decide(stateful_set, old, operation, namespace, domain, old_group)
    except oracle.Denied as reason:
        event("denied")
        assert not answer.allowed, f"allowed, but: {reason}"
        return None
    except oracle.Unsettled:
        event("unsettled")
        return None
    event(verdict.stamps.name)
    assert answer.allowed, f"denied, but the model says {verdict.stamps.value}: {answer.message}"
    stamp = oracle.stamp_of(answer.object)
    assert verdict.stamps is not Stamps.FRESH or stamp is not None
    assert oracle.tidy(answer.object) == oracle.stamped(stateful_set, old, verdict, stamp)
    again = ask(answer.object, old, operation=operation, domain=domain, namespace=namespace)
    assert again.allowed and again.patch is None, again
    return answer.object, verdict.group


# ---- stage 1 ----


@times(2)
@given(strategies.stateful_sets(), strategies.domains)
def test_a_right_set_is_stamped_and_nothing_else_is_touched(stateful_set, domain):
    stored, _ = check_against_the_model(stateful_set, None, "CREATE", domain)
    assert oracle.label_of(stored) == "true"
    stamp = oracle.stamp_of(stored)
    assert "\n" not in stamp and isinstance(json.loads(stamp), dict)


@times(4)
@given(strategies.odd_sets(), strategies.domains)
def test_a_set_with_odd_annotations_gets_the_decision_of_the_contract(stateful_set, domain):
    check_against_the_model(stateful_set, None, "CREATE", domain)


@pytest.mark.parametrize("name", strategies.mistakes)
@times(0.05)
@given(strategies.stateful_sets())
def test_each_mistake_is_denied(name, stateful_set):
    strategies.mistakes[name](stateful_set)
    with pytest.raises(oracle.Denied):  # the model has to see it too
        oracle.decide(stateful_set, None, "CREATE", "ml", "")
    answer = ask(stateful_set, namespace="ml")
    assert not answer.allowed


@times(0.5)
@given(strategies.unannotated_sets())
def test_a_set_without_annotations_is_none_of_ours(stateful_set):
    check_against_the_model(stateful_set, None, "CREATE", "cluster.local")


@times(0.5)
@given(strategies.stateful_sets(), st.sampled_from(["{}", "", "garbage", '{"version":1}', "[" * 2000]))
def test_a_stamp_by_hand_is_overwritten_on_create(stateful_set, garbage):
    template = stateful_set["spec"]["template"]
    template["metadata"] = template.get("metadata") or {}
    template["metadata"]["annotations"] = {**(template["metadata"].get("annotations") or {}), GROUP: garbage}
    stored, _ = check_against_the_model(stateful_set, None, "CREATE", "")
    assert oracle.stamp_of(stored) != garbage


@times(0.3)
@given(strategies.odd_sets())
def test_a_set_that_is_being_deleted_is_left_alone(stateful_set):
    old = copy.deepcopy(stateful_set)
    stateful_set["metadata"]["deletionTimestamp"] = "2026-11-30T03:24:18Z"
    for before in (None, old):
        answer = ask(stateful_set, before)
        assert answer.allowed and answer.patch is None


@times(0.3)
@given(strategies.odd_sets(), st.sampled_from(["scale", "status"]), st.sampled_from(["UPDATE", "DELETE", "CONNECT"]))
def test_another_subresource_or_operation_is_left_alone(stateful_set, sub_resource, operation):
    answer = ask(stateful_set, stateful_set, operation="UPDATE", sub_resource=sub_resource)
    assert answer.allowed and answer.patch is None
    if operation != "UPDATE":
        answer = ask(None if operation == "DELETE" else stateful_set, stateful_set, operation=operation)
        assert answer.allowed and answer.patch is None


# ---- updates ----


@times(1.5)
@given(strategies.stateful_sets(), strategies.domains, strategies.domains,
       st.sampled_from(sorted(changes.irrelevant)), st.booleans())
def test_an_update_of_nothing_that_matters_restores_the_stamps(stateful_set, domain, later_domain, change, scaled):
    stored, group = created(stateful_set, domain)
    if scaled:  # kubectl scale: nobody asked the webhook
        stored["spec"]["replicas"] = 9
    new = copy.deepcopy(stored)
    changes.irrelevant[change](new)
    after, _ = check_against_the_model(new, stored, "UPDATE", later_domain, group)
    assert oracle.tidy(after)["spec"]["template"] == oracle.tidy(stored)["spec"]["template"]


@times(0.3)
@given(strategies.odd_sets(), st.sampled_from(sorted(changes.irrelevant)))
def test_an_update_of_nothing_that_matters_is_never_denied(stateful_set, change):
    """Sets that are older than the webhook: wrong settings, no stamps."""
    new = copy.deepcopy(stateful_set)
    changes.irrelevant[change](new)
    answer = ask(new, stateful_set)
    assert answer.allowed, answer
    assert oracle.tidy(answer.object)["spec"]["template"] == oracle.tidy(stateful_set)["spec"]["template"]


@times(2.5)
@given(strategies.stateful_sets(), strategies.domains, strategies.domains,
       st.lists(st.sampled_from(sorted(changes.relevant)), min_size=1, max_size=2),
       st.sampled_from([None, None, changes.without_stamps, changes.edit_stamp]))
def test_an_update_gets_the_stamps_of_the_contract(stateful_set, domain, later_domain, what, of_stamps):
    stored, group = created(stateful_set, domain)
    new = copy.deepcopy(stored)
    if of_stamps:
        of_stamps(new)
    for change in what:
        changes.relevant[change](new)
    after = check_against_the_model(new, stored, "UPDATE", later_domain, group)
    if after and after[1]:
        check_pods(*after)


@times(1.5)
@given(strategies.odd_sets(), st.sampled_from(sorted(changes.relevant)), strategies.domains)
def test_an_update_of_a_set_that_is_older_than_the_webhook(stateful_set, change, domain):
    """Right or wrong, opted in or not, and nobody has stamped it."""
    new = copy.deepcopy(stateful_set)
    changes.relevant[change](new)
    check_against_the_model(new, stateful_set, "UPDATE", domain)


@times(1.5)
@given(strategies.odd_sets(), strategies.odd_sets(), strategies.domains)
def test_an_update_to_any_other_set(old, new, domain):
    check_against_the_model(new, old, "UPDATE", domain)


@times(0.5)
@given(strategies.stateful_sets(), st.sampled_from(sorted(changes.relevant)), strategies.domains,
       st.sampled_from(["{}", "", "garbage", '{"version":999}']))
def test_an_old_stamp_that_cannot_be_read_is_replaced(stateful_set, change, domain, garbage):
    stored, _ = created(stateful_set, domain)
    stored["spec"]["template"]["metadata"]["annotations"][GROUP] = garbage
    new = copy.deepcopy(stored)
    changes.relevant[change](new)
    check_against_the_model(new, stored, "UPDATE", domain)


@times(0.5)
@given(strategies.stateful_sets(), strategies.domains, strategies.domains)
def test_another_cluster_domain_alone_rolls_nothing(stateful_set, domain, later_domain):
    """An annotation that says what was said before makes the set pass stage 1 in full."""
    stored, group = created(stateful_set, domain)
    new = copy.deepcopy(stored)
    changes.say_a_default(new)
    after, _ = check_against_the_model(new, stored, "UPDATE", later_domain, group)
    assert oracle.stamp_of(after) == oracle.stamp_of(stored)


@times(0.5)
@given(strategies.stateful_sets(), strategies.domains)
def test_a_stamp_with_members_of_a_later_build_is_read_and_kept(stateful_set, domain):
    stored, group = created(stateful_set, domain)
    stamp = {"x-later": {"a": [1]}, **json.loads(oracle.stamp_of(stored)), "z-later": "b"}
    stored["spec"]["template"]["metadata"]["annotations"][GROUP] = json.dumps(stamp)
    check_pods(stored, group)
    new = copy.deepcopy(stored)
    changes.say_a_default(new)
    check_against_the_model(new, stored, "UPDATE", domain, group)


# ---- stage 2 ----


def check_pods(stateful_set, group, prepare=None):
    """Asks for each pod of a stored set; returns the values by ordinal. All that is said of a single pod is checked."""
    pods = [pod_of(stateful_set, ordinal) for ordinal in ordinals_of(stateful_set)]
    for pod in pods if prepare else []:
        prepare(pod)
    namespace = stateful_set["metadata"]["namespace"]
    answers = ask_all(pods, namespace=namespace)
    values = {}
    for pod, ordinal, answer in zip(pods, ordinals_of(stateful_set), answers):
        try:
            expected, (role, index, value) = oracle.decide_pod(pod, group)
        except oracle.Denied as reason:
            assert not answer.allowed, f"allowed, but: {reason}"
            continue
        assert answer.allowed, answer
        assert answer.object == expected
        assert answer.audit == {"role": role, "index": str(index), "size": str(len(group.tasks()))}
        check_own_place(pod, value, role, index)
        values[ordinal] = value
    stored = [answer.object for answer in answers if answer.allowed]
    for before, again in zip([a for a in answers if a.allowed], ask_all(stored, namespace=namespace)):
        assert again.allowed and again.patch is None, again
        assert again.audit == before.audit
    return values


def check_own_place(pod, value, role, index):
    """A pod finds itself where its task says, under its own DNS name; said without the model's way of counting."""
    value = json.loads(value)
    assert list(value)[:2] == ["cluster", "task"] and list(value["task"]) == ["type", "index"]
    assert value["task"] == {"type": role, "index": index} and type(value["task"]["index"]) is int
    place = value["cluster"][role]
    host, _, port = (place[str(index)] if isinstance(place, dict) else place[index]).rpartition(":")
    assert host.split(".")[:2] == [pod["spec"]["hostname"], pod["spec"]["subdomain"]] and 0 < int(port) < 65536
    assert all(value["cluster"].values()), "an empty list"
    assert list(value["cluster"]) == [role for role in oracle.ROLES if role in value["cluster"]]


@times(1.5)
@given(strategies.stateful_sets(), strategies.domains)
def test_each_pod_of_a_set_gets_its_own_value(stateful_set, domain):
    stored, group = created(stateful_set, domain)
    values = check_pods(stored, group)
    assert len(values) == oracle.replicas_of(stateful_set)
    check_group([(group, value) for value in values.values()])
    target(float(len(values)))


@times(0.7)
@given(strategies.groups_of_sets(), strategies.domains)
def test_the_pods_of_several_sets_make_one_group(sets, domain):
    values = []
    for stateful_set in sets:
        stored, group = created(stateful_set, domain)
        values += [(group, value) for value in check_pods(stored, group).values()]
    check_group(values)
    # Nobody is missing: what the lists name is what there is.
    dense = [json.loads(value) for group, value in values
             if not group.sparse or json.loads(value)["task"]["type"] != "worker"]
    named = sum(len(hosts) for role, hosts in dense[0]["cluster"].items() if role != "evaluator") if dense else None
    evaluators = sum(json.loads(value)["task"]["type"] == "evaluator" for _, value in values)
    assert named is None or named + evaluators == len(values)


@times(0.5)
@given(strategies.stateful_sets(), st.integers(-2, 3))
def test_a_scaled_set_has_the_old_list_until_it_is_stamped_again(stateful_set, more):
    stored, group = created(stateful_set, "cluster.local")
    stored["spec"]["replicas"] = max(0, stored["spec"]["replicas"] + more)
    values = check_pods(stored, group)  # the pods over the stamp's size are denied, as the model says
    check_group([(group, value) for value in values.values()])


@times(1)
@given(strategies.stateful_sets(), st.integers(1, 3))
def test_the_cure_that_a_denied_pod_names_is_a_cure(stateful_set, more):
    """A pod beyond the stamp's size: the restart is named where it helps, and only there."""
    stored, group = created(stateful_set, "cluster.local")
    stored["spec"]["replicas"] += more
    namespace = stored["metadata"]["namespace"]
    answer = ask(pod_of(stored, ordinals_of(stored)[-1]), namespace=namespace)
    assert not answer.allowed
    named = f"kubectl -n {namespace} rollout restart statefulset/{stored['metadata']['name']}" in answer.message
    event(f"the restart is named: {named}")
    restarted = copy.deepcopy(stored)
    changes.restart(restarted)
    after = check_against_the_model(restarted, stored, "UPDATE", "cluster.local", group)
    if named:
        assert after is not None, answer.message
        assert len(check_pods(*after)) == len(ordinals_of(stored))
    else:
        assert not group.follows_replicas, answer.message
        assert "rollout restart" not in answer.message and "tfconfig.dev/cluster" in answer.message


@times(0.5)
@given(strategies.stateful_sets())
def test_what_others_put_into_the_pod_before_us_counts(stateful_set):
    stored, group = created(stateful_set, "")

    def inject(pod):
        pod["spec"]["containers"].insert(0, {"name": "istio-proxy", "image": "istio/proxyv2:1"})
        pod["metadata"]["ownerReferences"].insert(0, {"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": "b"})

    check_pods(stored, group, inject)


@times(0.7)
@given(strategies.stateful_sets(), st.data())
def test_asked_again_after_others_have_changed_the_pod(stateful_set, data):
    """Reinvocation: a sidecar that came after us gets the value, an entry put before ours leaves ours where it is."""
    stored, group = created(stateful_set, "cluster.local")
    pod = pod_of(stored, data.draw(strategies.ordinals(stored)))
    pod = ask(pod, namespace=stateful_set["metadata"]["namespace"]).object
    for container in pod["spec"]["containers"]:
        if container.get("env") and data.draw(st.booleans()):
            container["env"].insert(0, {"name": "FIRST", "value": "1"})
    if data.draw(st.booleans()):
        pod["spec"]["containers"].append({"name": "late", "env": data.draw(strategies.env_entries())})
    if data.draw(st.booleans()):
        pod["metadata"]["labels"][ROLE] = "somebody"
    if data.draw(st.booleans()):
        del pod["metadata"]["labels"][INDEX]
    expected, _ = oracle.decide_pod(pod, group)
    answer = ask(pod, namespace=stateful_set["metadata"]["namespace"])
    assert answer.allowed and answer.object == expected
    assert (answer.patch is None) == (pod == expected)


@pytest.mark.parametrize("name", strategies.pod_mistakes)
@times(0.05)
@given(st.data())
def test_each_mistake_of_a_pod_is_denied(name, data):
    stateful_set = data.draw(strategies.stateful_sets())
    stored, group = created(stateful_set, "")
    pod = pod_of(stored, data.draw(strategies.ordinals(stored)))
    strategies.pod_mistakes[name](pod)
    readable = oracle.stamp_of(stored) == (pod["metadata"].get("annotations") or {}).get(GROUP)
    with pytest.raises(oracle.Denied):
        oracle.decide_pod(pod, group if readable else None)
    answer = ask(pod, namespace=stateful_set["metadata"]["namespace"])
    assert not answer.allowed


@times(0.5)
@given(st.data())
def test_a_stamp_with_a_member_of_another_type_is_denied(data):
    stored, _ = created(data.draw(strategies.stateful_sets()), "cluster.local")
    stamp = json.loads(oracle.stamp_of(stored))
    member = data.draw(st.sampled_from(sorted(stamp)))
    wrong = [value for value in (None, {}, [1], "\u00e9", -1, 1.5, True) if type(value) is not type(stamp[member])]
    stamp[member] = data.draw(st.sampled_from(wrong))
    pod = pod_of(stored, data.draw(strategies.ordinals(stored)))
    pod["metadata"]["annotations"][GROUP] = json.dumps(stamp)
    answer = ask(pod, namespace=stored["metadata"]["namespace"])
    assert not answer.allowed, f"{member}: {stamp[member]!r} was taken"


@times(2)
@given(st.data())
def test_a_damaged_stamp_gives_no_pod_a_wrong_place(data):
    """One character more, less or other: denied, or a value in which the pod still finds itself."""
    stored, _ = created(data.draw(strategies.stateful_sets()), "cluster.local")
    stamp = oracle.stamp_of(stored)
    at = data.draw(st.integers(0, len(stamp) - 1))
    stamp = stamp[:at] + data.draw(st.sampled_from(["", "0", "9", ",", '"', "-", ".", "}", "x", " ", "\\", "$", "*"])
                                   ) + stamp[at + data.draw(st.integers(0, 1)):]
    pod = pod_of(stored, data.draw(strategies.ordinals(stored)))
    pod["metadata"]["annotations"][GROUP] = stamp
    answer = ask(pod, namespace=stored["metadata"]["namespace"])
    event(f"allowed: {answer.allowed}")
    if answer.patch:
        labels = answer.object["metadata"]["labels"]
        assert labels[ROLE] in oracle.ROLES
        for container in answer.object["spec"]["containers"]:
            for entry in container.get("env") or []:
                if entry["name"] == "TF_CONFIG" and "\"cluster\"" in entry.get("value", ""):
                    check_own_place(pod, entry["value"], labels[ROLE], int(labels[INDEX]))


@times(0.3)
@given(strategies.stateful_sets(), st.data())
def test_a_container_of_the_list_that_is_gone_is_denied(stateful_set, data):
    strategies.annotate(stateful_set, "set", "containers", "tensorflow")
    strategies.annotate(stateful_set, "template", "containers", "tensorflow")
    stored, _ = created(stateful_set, "")
    pod = pod_of(stored, data.draw(strategies.ordinals(stored)))
    pod["spec"]["containers"][0]["name"] = "renamed"
    assert not ask(pod, namespace=stateful_set["metadata"]["namespace"]).allowed


@pytest.mark.parametrize("name", strategies.pods_that_are_not_ours)
@times(0.05)
@given(st.data())
def test_a_pod_that_is_not_ours_is_left_alone(name, data):
    stored, _ = created(data.draw(strategies.stateful_sets()), "")
    pod = pod_of(stored, data.draw(strategies.ordinals(stored)))
    strategies.pods_that_are_not_ours[name](pod)
    answer = ask(pod)
    assert answer.allowed and answer.patch is None
    assert bool(answer.warnings) == (name in ("no controller", "no owner", "null as owners"))


@times(0.3)
@given(strategies.stateful_sets(), st.data())
def test_the_cluster_domain_travels_in_the_stamp(stateful_set, data):
    """Another replica of the webhook, with another flag, gives a pod the same value."""
    stored, _ = created(stateful_set, "cluster.local")
    pod = pod_of(stored, data.draw(strategies.ordinals(stored)))
    answers = [ask(pod, domain=domain) for domain in ("", "cluster.local", "example.org")]
    assert answers[0].patch == answers[1].patch == answers[2].patch


@times(0.2)
@given(strategies.stateful_sets(), st.data())
def test_a_namespace_missing_from_the_object_is_the_request_s(stateful_set, data):
    del stateful_set["metadata"]["namespace"]
    answer = ask(stateful_set, domain="cluster.local", namespace="team-b")
    group = oracle.compile_group(stateful_set, "team-b", "cluster.local")
    pod = pod_of(answer.object, data.draw(strategies.ordinals(stateful_set)))
    expected, _ = oracle.decide_pod(pod, group)
    assert ask(pod, namespace="team-b").object == expected


# ---- the init container that waits ----


@st.composite
def waiting_sets(draw):
    stateful_set = draw(strategies.stateful_sets(wait="true"))
    stateful_set["spec"]["podManagementPolicy"] = "Parallel"
    return stateful_set


@times(0.5)
@given(waiting_sets(), strategies.domains)
def test_the_pods_of_a_set_that_waits_have_one_init_container_more(stateful_set, domain):
    stored, group = created(stateful_set, domain)
    assert group.wait
    check_pods(stored, group)


@times(0.3)
@given(waiting_sets(), st.data())
def test_without_an_image_nothing_waits_and_all_that_should_is_denied(stateful_set, data):
    namespace = stateful_set["metadata"]["namespace"]
    assert "--wait-image" in ask(stateful_set, wait_image="", namespace=namespace).message
    stored, _ = created(stateful_set, "cluster.local")
    pod = pod_of(stored, data.draw(strategies.ordinals(stored)))
    assert "--wait-image" in ask(pod, wait_image="", namespace=namespace).message
    # The image is no part of the group: with another one, or none, nothing rolls.
    new = copy.deepcopy(stored)
    changes.irrelevant["a label of the set"](new)
    for image in ("", "another.example.org/webhook:2"):
        assert ask(new, stored, wait_image=image, namespace=namespace).patch is None
    changes.say_a_default(new)
    after = ask(new, stored, wait_image="another.example.org/webhook:2", namespace=namespace)
    assert oracle.stamp_of(after.object) == oracle.stamp_of(stored)


# ---- the size of the value ----


@pytest.mark.parametrize("line, annotations", [
    ("worker:{n}", {}),
    ("worker:{n}", {"address": "short", "port": "1"}),
    ("worker:{n}", {"rpc-layer": "grpc"}),
    ("ps:1,worker:{n},chief:1", {}),
    ("ps:1,worker:{n},chief:1", {"sparse": "true"}),
    ("worker:{n},evaluator:1", {}),
    ("evaluator:1,worker:{n}", {}),
])
def test_the_largest_group_that_fits(line, annotations):
    """The environment takes so many bytes and not one more; the message says which size fits."""
    def sized(n):
        text = line.format(n=n)
        replicas = sum(int(entry.rpartition(":")[2]) for entry in text.split(","))
        obj = {"kind": "StatefulSet", "apiVersion": "apps/v1", "metadata": {"name": "trainer", "namespace": "ml"},
               "spec": {"serviceName": "hl", "replicas": replicas,
                        "template": {"spec": {"containers": [{"name": "tensorflow"}]}}}}
        for name, value in {"inject": "true", "cluster": text, **annotations}.items():
            strategies.annotate(obj, "set", name, value)
        return obj

    def fits(n):
        try:
            return oracle.compile_group(sized(n), "ml", "cluster.local") is not None
        except oracle.Denied:
            return False

    low, high = 1, 20000
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    largest = sized(low)
    stored, group = created(largest, "cluster.local")
    longest = max(len(group.value_of(task)) for task in {task.role: task for task in group.own_tasks()}.values())
    assert oracle.VALUE_MAX - 60 < longest <= oracle.VALUE_MAX
    for ordinal in (0, 1, largest["spec"]["replicas"] - 1):
        pod = pod_of(stored, ordinal)
        assert ask(pod).object == oracle.decide_pod(pod, group)[0]
    answer = ask(sized(low + 1), domain="cluster.local")
    assert not answer.allowed
    assert str(oracle.VALUE_MAX) in answer.message.replace(",", ""), answer.message
    assert str(largest["spec"]["replicas"]) in answer.message.replace(",", ""), answer.message


# ---- the protocol ----


@times(0.3)
@given(strategies.odd_sets(), st.sampled_from(["v1", "v1beta1"]),
       st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=20))
def test_the_answer_is_of_the_request_s_version_and_uid(stateful_set, version, uid):
    ask(stateful_set, api_version=f"admission.k8s.io/{version}", uid=uid)  # its shape is checked in every answer


@times(0.3)
@given(strategies.stateful_sets())
def test_the_patch_is_one_line_of_base64(stateful_set):
    review = review_of(stateful_set)
    _, plain, _ = run_review(review, "--wait-image", oracle.WAIT_IMAGE, decode=False)
    _, decoded, _ = run_review(review, "--wait-image", oracle.WAIT_IMAGE, decode=True)
    encoded = plain["response"]["patch"]
    assert isinstance(encoded, str) and not set(encoded) & set("\r\n ")
    assert json.loads(base64.b64decode(encoded, validate=True)) == decoded["response"]["patch"]
    plain["response"]["patch"] = decoded["response"]["patch"]
    assert plain == decoded


@times(0.3)
@given(strategies.odd_sets())
def test_the_same_question_has_the_same_answer(stateful_set):
    review = review_of(stateful_set)
    assert run_review(review) == run_review(review)


@times(0.3)
@given(strategies.stateful_sets(), st.text(min_size=1, max_size=200).filter(lambda text: "\0" not in text),
       st.sampled_from(["cluster", "port", "containers", "address", "overwrite", "no-such-key"]))
def test_what_users_write_is_told_in_one_line(stateful_set, text, key):
    """Any text in a value: the shape of the answer, checked each time, holds for messages and warnings as well."""
    assume(text.encode(errors="ignore").decode() == text)
    strategies.annotate(stateful_set, "set", key, text)
    ask(stateful_set)


@times(0.3)
@given(strategies.stateful_sets(), st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"),
                                           min_size=1, max_size=200))
def test_names_that_nobody_has_checked_yet_are_told_in_one_line(stateful_set, text):
    """Validation comes after us: a container's name may be anything, and warnings tell it."""
    spec = stateful_set["spec"]["template"]["spec"]
    for i, container in enumerate(spec["containers"]):
        container["name"] = text + str(i)
        container["env"] = [{"name": "TF_CONFIG", "value": "x"}]
    ask(stateful_set)


@times(3)
@given(st.data())
def test_objects_of_another_shape_are_answered(data):
    """Whatever stands where, there is an answer, its patch applies, and what it makes is not patched again."""
    stateful_set = data.draw(strategies.stateful_sets())
    which = data.draw(st.sampled_from(["the set", "the set before", "the pod"]))
    obj, old = stateful_set, None
    if which == "the set":
        obj = data.draw(strategies.other_shapes(stateful_set))
    elif which == "the set before":
        old = data.draw(strategies.other_shapes(stateful_set))
    else:
        stored, _ = created(stateful_set, "cluster.local")
        obj = data.draw(strategies.other_shapes(pod_of(stored, data.draw(strategies.ordinals(stored)))))
    review = {"domain": "cluster.local", "kind": "Pod" if which == "the pod" else "StatefulSet", "name": "trainer"}
    answer = ask(obj, old, **review)
    event(f"{which}: allowed: {answer.allowed}, patched: {bool(answer.patch)}")
    if answer.patch:
        again = ask(answer.object, old, **review)
        assert again.allowed and again.patch is None, again


@times(0.2)
@given(st.lists(st.tuples(st.integers(0, 10**6), st.binary(max_size=3)), min_size=1, max_size=4),
       strategies.stateful_sets())
def test_a_damaged_review_is_answered_or_refused(damages, stateful_set):
    """Bytes changed at random: an answer with its exit code, or one line on stderr and exit 1."""
    body = bytearray(json.dumps(review_of(stateful_set)).encode())
    for at, replacement in damages:
        at %= len(body)
        body[at:at + len(replacement)] = replacement
    code, answer, errors = run_review(bytes(body))
    if answer is None:
        assert code == 1 and errors.endswith("\n") and errors.count("\n") == 1, (code, errors)
    else:
        assert code == (0 if answer["response"]["allowed"] else 1)


def test_labels_tell_role_and_index():
    """One example in full, for readers."""
    stateful_set = {
        "kind": "StatefulSet", "apiVersion": "apps/v1",
        "metadata": {"name": "trainer", "namespace": "ml", "annotations": {INJECT: "true",
                                                                        "tfconfig.dev/cluster": "chief:1,worker:*"}},
        "spec": {"serviceName": "hl", "replicas": 3, "template": {"spec": {"containers": [{"name": "tensorflow"}]}}},
    }
    stored, group = created(stateful_set, "cluster.local")
    values = check_pods(stored, group)
    assert values[1] == (
        '{"cluster":{"chief":["trainer-0.hl.ml.svc.cluster.local:2222"],"worker":['
        '"trainer-1.hl.ml.svc.cluster.local:2222","trainer-2.hl.ml.svc.cluster.local:2222"]},'
        '"task":{"type":"worker","index":0}}')
    answer = ask(pod_of(stored, 1))
    assert answer.object["metadata"]["labels"][ROLE] == "worker"
    assert answer.object["metadata"]["labels"][INDEX] == "0"
    assert tf_config_of(answer.object) == values[1]
