# SPDX-License-Identifier: Apache-2.0
"""The fake API server with StatefulSets, Services and Events of all namespaces: pages, watches that go on, admission.

    api = SetsApi(folder)
    api.start()
    api.apply(stateful_set("trainer", replicas=3))   # as kubectl does: it passes stage 1
    api.scale("trainer", 5)                          # and this does not
    api.add(stateful_set(...))                       # nor does this: as if made before the install
"""

import base64
import copy
import json
import os
import re
import subprocess
import uuid

import jsonpatch
from conftest import ROOT
from kube.fake_api_server import ApiError, FakeApiServer, Resource, is_watch  # noqa: F401

PROGRAM = os.environ.get("PROGRAM") or str(ROOT / "build" / "tfconfig-webhook")
SETS, SERVICES, EVENTS = "statefulsets", "services", "events"
KINDS = {SETS: Resource(SETS, "StatefulSet", "apps", True), SERVICES: Resource(SERVICES, "Service", namespaced=True),
         EVENTS: Resource(EVENTS, "Event", namespaced=True)}
ADVICE_ROLE = {"get": {SETS, SERVICES, EVENTS}, "list": {SETS}, "watch": {SETS}, "patch": {SETS, EVENTS},
               "create": {EVENTS}}


def merge(target, patch):
    """https://www.rfc-editor.org/rfc/rfc7386"""
    for key, value in patch.items():
        if value is None:
            target.pop(key, None)
        elif isinstance(value, dict):
            target[key] = merge(target[key] if isinstance(target.get(key), dict) else {}, value)
        else:
            target[key] = value
    return target


def stateful_set(name="trainer", replicas=3, namespace="ml", annotations=None, opted_in=True, **spec):
    keys = {"tfconfig.dev/inject": "true"} if opted_in else {}
    keys.update({f"tfconfig.dev/{key}": value for key, value in (annotations or {}).items()})
    return {"apiVersion": "apps/v1", "kind": "StatefulSet",
            "metadata": {"name": name, "namespace": namespace, "annotations": keys},
            "spec": {"serviceName": name, "replicas": replicas, "podManagementPolicy": "Parallel",
                     "selector": {"matchLabels": {"app": name}},
                     "template": {"metadata": {"labels": {"app": name}},
                                  "spec": {"containers": [{"name": "tensorflow", "image": "x"}]}}, **spec}}


def headless_service(name="trainer", namespace="ml", **spec):
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "namespace": namespace},
            "spec": {"clusterIP": "None", "publishNotReadyAddresses": True, "selector": {"app": name}, **spec}}


class SetsApi(FakeApiServer):
    def __init__(self, folder, **settings):
        super().__init__(folder, **settings)
        self.role = copy.deepcopy(ADVICE_ROLE)
        self.oldest = 0  # watches and pages of older versions are refused
        self.admits = True  # whether the webhook sees the sets, …
        self.admits_dry_runs = True  # … dry runs too
        self._all = {}
        self._snapshots = {}  # version -> what a list of it shows

    # As an admin, past roles and faults

    def add(self, fields):
        with self._changed:
            return copy.deepcopy(self._put(copy.deepcopy(fields)))

    def apply(self, fields):
        with self._changed:
            return copy.deepcopy(self._put(self._review(copy.deepcopy(fields), self._all.get(self._key(fields)))))

    def find(self, resource, name="trainer", namespace="ml"):
        with self._changed:
            return copy.deepcopy(self._all.get((resource, namespace, name)))

    def change(self, name="trainer", namespace="ml", resource=SETS, **spec):
        """Of the spec, without admission: as the scale subresource is."""
        with self._changed:
            fields = copy.deepcopy(self._all[resource, namespace, name])
            fields["spec"].update(spec)
            self._put(fields)

    def scale(self, name, replicas):
        self.change(name, replicas=replicas)

    def report_status(self, name="trainer", namespace="ml"):
        """As its controller does: another version of the same generation."""
        with self._changed:
            fields = copy.deepcopy(self._all[SETS, namespace, name])
            fields["status"] = {"replicas": self._version}
            self._put(fields)

    def remove(self, resource, name="trainer", namespace="ml"):
        with self._changed:
            self._version += 1
            gone = self._all.pop((resource, namespace, name))
            gone["metadata"]["resourceVersion"] = str(self._version)
            self._tell("DELETED", resource, gone)

    def events(self, reason=None):
        with self._changed:
            found = [copy.deepcopy(o) for (resource, *_), o in self._all.items() if resource == EVENTS]
        return [event for event in found if reason in (None, event["reason"])]

    def group_of(self, name="trainer", namespace="ml"):
        annotations = self.find(SETS, name, namespace)["spec"]["template"]["metadata"].get("annotations") or {}
        return json.loads(annotations.get("tfconfig.dev/group", "{}")).get("group")

    def restarts_of(self, name="trainer", namespace="ml"):
        """How often it was restarted."""
        with self._changed:
            times = [event["object"]["spec"]["template"]["metadata"].get("annotations", {}).get(
                "kubectl.kubernetes.io/restartedAt") for _, resource, event in self._history
                if resource == SETS and event["object"]["metadata"]["name"] == name and
                event["object"]["metadata"]["namespace"] == namespace]
        return sum(before != after for before, after in zip([None, *times], times))

    # What the API does

    def _key(self, fields):
        resource = {"StatefulSet": SETS, "Service": SERVICES, "Event": EVENTS}[fields["kind"]]
        return resource, fields["metadata"]["namespace"], fields["metadata"]["name"]

    def _put(self, fields):
        key = self._key(fields)
        before = self._all.get(key)
        metadata = fields["metadata"]
        metadata["uid"] = before["metadata"]["uid"] if before else str(uuid.uuid4())
        if key[0] == SETS:
            old = before["metadata"]["generation"] if before else 0
            metadata["generation"] = old + (not before or before["spec"] != fields["spec"])
        self._version += 1
        metadata["resourceVersion"] = str(self._version)
        self._all[key] = fields
        self._tell("MODIFIED" if before else "ADDED", key[0], fields)
        return fields

    def _review(self, fields, before):
        """Stage 1, by the program itself."""
        review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
            "uid": "u", "resource": {"group": "apps", "version": "v1", "resource": SETS},
            "namespace": fields["metadata"]["namespace"], "name": fields["metadata"]["name"],
            "operation": "UPDATE" if before else "CREATE", "object": fields, "oldObject": before}}
        done = subprocess.run([PROGRAM, "review", "--cluster-domain", "cluster.local"], input=json.dumps(review),
                              capture_output=True, text=True, timeout=60)
        response = json.loads(done.stdout)["response"]
        if not response["allowed"]:
            raise ApiError(response["status"]["code"], "", 'admission webhook "statefulsets.tfconfig.dev" denied the '
                           f"request: {response['status']['message']}")
        if "patch" not in response:
            return fields
        return jsonpatch.apply_patch(fields, json.loads(base64.b64decode(response["patch"])))

    def locate(self, request):
        for kind in KINDS.values():
            match = re.fullmatch(kind.prefix("([^/]+)") + "(?:/([^/]+))?", request.path)
            everywhere = request.path == f"/apis/{kind.group}/v1/{kind.name}" if kind.group else False
            if match or everywhere:
                request.resource = kind.name
                request.namespace, request.name = (match.groups(default="") if match else ("", ""))
        watch = request.query.get("watch") in ("1", "true")
        read = "get" if request.name else "watch" if watch else "list"
        request.verb = {"GET": read, "POST": "create", "PATCH": "patch"}.get(request.method, "?")

    def _authorize(self, request, verb):
        if request.resource not in self.role.get(verb, ()):
            raise ApiError(403, "Forbidden", f'{request.resource} is forbidden: User "system:serviceaccount:'
                           f'{self.namespace}:tfconfig-webhook" cannot {verb} resource "{request.resource}"')

    def carry_out(self, request):
        with self._changed:
            key = (request.resource, request.namespace, request.name)
            if request.verb == "list":
                return 200, self._list(request)
            if request.verb == "create":
                fields = json.loads(request.body)
                if self._key(fields) in self._all:
                    raise ApiError(409, "AlreadyExists", f'{request.resource} "{fields["metadata"]["name"]}" already '
                                   "exists")
                return 201, copy.deepcopy(self._put(fields))
            if key not in self._all:
                raise ApiError(404, "NotFound", f'{request.resource} "{request.name}" not found')
            if request.verb == "get":
                return 200, copy.deepcopy(self._all[key])
            return 200, self._merge_patch(request, self._all[key])

    def _merge_patch(self, request, before):
        assert request.headers["content-type"] == "application/merge-patch+json"
        patch = json.loads(request.body)
        wanted = patch["metadata"]["resourceVersion"]  # each patch here applies to one version only
        if wanted != before["metadata"]["resourceVersion"]:
            raise ApiError(409, "Conflict", f'Operation cannot be fulfilled on {request.resource} "{request.name}": '
                           "the object has been modified")
        after = merge(copy.deepcopy(before), patch)
        dry_run = request.query.get("dryRun") == "All"
        if request.resource == SETS and (self.admits_dry_runs if dry_run else self.admits):
            after = self._review(after, before)
        if dry_run:
            return copy.deepcopy(after)
        return copy.deepcopy(self._put(after))

    def _list(self, request):
        start, _, version = request.query.get("continue", f"0.{self._version}").partition(".")
        if int(version) < self.oldest:
            raise ApiError(410, "Expired", "The provided continue parameter is too old")
        if start == "0":
            self._snapshots[version] = [copy.deepcopy(self._all[key]) for key in sorted(self._all)
                                        if key[0] == request.resource]
        found = self._snapshots[version]
        end = int(start) + int(request.query["limit"])
        items = found[int(start):end]
        if "PartialObjectMetadataList" in request.headers["accept"]:
            items = [{"metadata": item["metadata"]} for item in items]
        metadata = {"resourceVersion": version}
        if end < len(found):
            metadata["continue"] = f"{end}.{version}"
        return {"kind": "List", "metadata": metadata, "items": items}

    def follow(self, handler, request):
        version = int(request.query["resourceVersion"])
        if version < self.oldest:
            raise ApiError(410, "Expired", "too old resource version")
        self._follow_from(handler, request, version)

    def _bookmarks(self, request):
        return [{"type": "BOOKMARK", "object": {"kind": "StatefulSet", "apiVersion": "apps/v1",
                                                "metadata": {"resourceVersion": str(self._version)}}}]
