# SPDX-License-Identifier: Apache-2.0
"""What the API server and the StatefulSet controller do around the webhook, as far as tests need it.

Nothing here knows what the webhook decides: it wraps objects into reviews, applies an answer's patch as the API server
does, and makes the pods of a StatefulSet as its controller does.
"""

import copy

import jsonpatch

PREFIX = "tfconfig.dev/"
INJECT = PREFIX + "inject"  # annotation of the user, label of the webhook
GROUP = PREFIX + "group"  # the stamp
ROLE = PREFIX + "role"
INDEX = PREFIX + "index"

POD_INDEX = "apps.kubernetes.io/pod-index"
POD_NAME = "statefulset.kubernetes.io/pod-name"
RESTARTED_AT = "kubectl.kubernetes.io/restartedAt"

_RESOURCES = {
    "StatefulSet": ("apps", "v1", "statefulsets"),
    "Pod": ("", "v1", "pods"),
}


def review_of(obj, old=None, operation=None, *, kind=None, name=None, namespace="ml",
              uid="705ab4f5-6393-11e8-b7cc-42010a800002", api_version="admission.k8s.io/v1", sub_resource=None):
    """The AdmissionReview that the API server sends for an object; UPDATE where there is an old one, else CREATE.
    `kind` and `name` are the object's own unless given."""
    kind = kind or (obj or old)["kind"]
    group, version, resource = _RESOURCES[kind]
    request = {
        "uid": uid,
        "kind": {"group": group, "version": version, "kind": kind},
        "resource": {"group": group, "version": version, "resource": resource},
        "name": (obj or old).get("metadata", {}).get("name", "") if name is None else name,
        "namespace": namespace,
        "operation": operation or ("CREATE" if old is None else "UPDATE"),
        "userInfo": {"username": "admin"},
        "object": obj,
        "oldObject": old,
        "dryRun": False,
    }
    if sub_resource:
        request["subResource"] = sub_resource
    return {"apiVersion": api_version, "kind": "AdmissionReview", "request": request}


def patched(obj, answer):
    """The object as the API server goes on with it: the patch of an answer (with --decode) applied."""
    patch = answer["response"].get("patch")
    return copy.deepcopy(obj) if patch is None else jsonpatch.apply_patch(obj, patch)


def ordinals_of(stateful_set):
    """The ordinals that the controller keeps pods for."""
    spec = stateful_set["spec"]
    start = (spec.get("ordinals") or {}).get("start") or 0
    replicas = spec.get("replicas")
    return range(start, start + (1 if replicas is None else replicas))


def pod_of(stateful_set, ordinal):
    """The pod that the StatefulSet controller creates from the template for an ordinal."""
    owner = stateful_set["metadata"]
    template = copy.deepcopy(stateful_set["spec"]["template"])
    of_template = template.get("metadata") or {}
    name = f"{owner['name']}-{ordinal}"
    metadata = {
        "name": name,
        "generateName": owner["name"] + "-",
        "namespace": owner.get("namespace"),
        "labels": {**(of_template.get("labels") or {}), "controller-revision-hash": owner["name"] + "-97dcb6f54",
                   POD_INDEX: str(ordinal), POD_NAME: name},
        "ownerReferences": [{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": owner["name"],
                             "uid": "42ddbf00-00e8-42c5-a8ba-027a3f3e61b1", "controller": True,
                             "blockOwnerDeletion": True}],
    }
    if metadata["namespace"] is None:
        del metadata["namespace"]
    for key in ("annotations", "finalizers"):
        if of_template.get(key):
            metadata[key] = of_template[key]
    spec = template["spec"]
    spec["hostname"] = name
    if stateful_set["spec"].get("serviceName"):
        spec["subdomain"] = stateful_set["spec"]["serviceName"]
    return {"kind": "Pod", "apiVersion": "v1", "metadata": metadata, "spec": spec, "status": {}}


def tf_config_of(pod, container=None):
    """The value of TF_CONFIG in a pod's container (the first one of `containers` unless named), None where absent."""
    for each in (pod["spec"].get("initContainers") or []) + pod["spec"]["containers"]:
        if each["name"] == (container or pod["spec"]["containers"][0]["name"]):
            values = [entry.get("value") for entry in each.get("env") or [] if entry.get("name") == "TF_CONFIG"]
            return values[-1] if values else None
    raise KeyError(container)
