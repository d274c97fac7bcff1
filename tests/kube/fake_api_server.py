# SPDX-License-Identifier: Apache-2.0
"""A Kubernetes API server, as far as one client and two objects need it, with faults that a test switches on.

It serves one Secret and one MutatingWebhookConfiguration over TLS: get, list, watch, JSON patches and server-side
apply, with resource versions, a bearer token, and roles by the object's name. What it says is what a real one says,
where a client could care. Beside them there may be any number of Services and StatefulSets, to be got alone.

    api = FakeApiServer(folder)
    api.start()
    api.put(SECRET, {...})        # as an admin, past roles and faults
    api.place(SERVICE, "ml", "trainer", spec={...})
    with api.fail(503):           # from now on, until the block ends
        ...
    api.fail(409, times=1, where=is_patch)
    api.wait_for(lambda request: request.verb == "watch", count=2)
"""

import base64
import binascii
import contextlib
import copy
import dataclasses
import http.server
import json
import os
import re
import secrets
import socket
import socketserver
import ssl
import threading
import time
import urllib.parse
import uuid

import jsonpatch
import jsonpointer
import yaml

from kube.authority import Authority

SECRET = "secrets"
REGISTRATION = "mutatingwebhookconfigurations"
SERVICE = "services"
STATEFUL_SET = "statefulsets"

PATIENCE = 30  # seconds until something that should happen counts as failed; sanitizers on a busy machine are slow


@dataclasses.dataclass(frozen=True)
class Resource:
    name: str
    kind: str
    group: str = ""
    namespaced: bool = False

    @property
    def api_version(self):
        return f"{self.group}/v1" if self.group else "v1"

    def prefix(self, namespace):
        root = f"/apis/{self.group}/v1" if self.group else "/api/v1"
        return f"{root}/namespaces/{namespace}/{self.name}" if self.namespaced else f"{root}/{self.name}"


RESOURCES = {SECRET: Resource(SECRET, "Secret", namespaced=True),
             REGISTRATION: Resource(REGISTRATION, "MutatingWebhookConfiguration", "admissionregistration.k8s.io")}

# Of these there are many, in any namespace.
PLACED = {SERVICE: Resource(SERVICE, "Service", namespaced=True),
          STATEFUL_SET: Resource(STATEFUL_SET, "StatefulSet", "apps", namespaced=True)}

# verb -> resources of which the one object may be so treated. Nothing may be done to an object without its name.
ROLE = {"get": {SECRET, REGISTRATION, SERVICE, STATEFUL_SET}, "list": {SECRET, REGISTRATION}, "watch": {SECRET, REGISTRATION},
        "patch": {SECRET, REGISTRATION}, "create": {SECRET}}


@dataclasses.dataclass
class Request:
    """What a client asked for."""

    method: str
    path: str
    query: dict
    headers: dict  # lower-case names, without the token
    body: bytes
    connection: int  # the client's port: the same for requests over one connection
    token: str
    verb: str = ""
    resource: str = ""
    namespace: str = ""
    name: str = ""  # "" if the request names no object
    namespace: str = ""  # of an object that was placed
    status: int = 0  # of the answer, 0 before it
    events: int = 0  # sent so far, if it is a watch

    @property
    def json(self):
        return json.loads(self.body)


def is_watch(request):
    return request.verb == "watch"


def is_patch(request):
    return request.verb == "patch"


def is_of(resource):
    return lambda request: request.resource == resource


class ApiError(Exception):
    """An answer of kind Status."""

    def __init__(self, code, reason, message, **details):
        super().__init__(message)
        self.code = code
        self.status = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": message,
                       "reason": reason, "details": details, "code": code}


REASONS = {400: "BadRequest", 401: "Unauthorized", 403: "Forbidden", 404: "NotFound", 409: "Conflict", 410: "Expired",
           415: "UnsupportedMediaType", 422: "Invalid", 429: "TooManyRequests", 500: "InternalError",
           503: "ServiceUnavailable", 504: "Timeout"}


class Fault:
    """Something that happens to requests in place of an answer. Ends with stop(), its block, or after its times."""

    def __init__(self, play, times, where):
        self.play = play  # called with the handler and the request
        self.times = times
        self.where = where or (lambda request: True)
        self.ended = threading.Event()
        self.hits = 0

    def stop(self):
        self.ended.set()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


class KubeletFolder:
    """Files as the kubelet mounts them: a change of them all is one rename."""

    def __init__(self, path):
        self.path = path
        self.files = {}
        path.mkdir(parents=True, exist_ok=True)

    def write(self, **files):
        self.files.update({name.replace("_", "."): content for name, content in files.items()})
        before = self.path / "..data"
        old = before.resolve() if before.exists() else None
        fresh = self.path / f"..{uuid.uuid4()}"
        fresh.mkdir()
        for name, content in self.files.items():
            (fresh / name).write_bytes(content)
            link = self.path / name
            if not link.is_symlink():
                link.symlink_to(f"..data/{name}")
        link = self.path / "..data_tmp"
        link.symlink_to(fresh.name)
        os.replace(link, before)
        if old:
            for file in old.iterdir():
                file.unlink()
            old.rmdir()


class _Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    """Threads, TLS with a handshake that disturbs no other connection, and a list of what is open."""

    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True
    request_queue_size = 64

    def __init__(self, api):
        self.address_family = socket.AF_INET6 if ":" in api.host else socket.AF_INET
        self.api = api
        self.open = set()
        self.lock = threading.Lock()
        super().__init__((api.host, api.port), _Handler)

    def server_bind(self):  # HTTPServer's own would look a name up
        socketserver.TCPServer.server_bind(self)
        self.server_port = self.server_address[1]

    def process_request(self, request, client_address):
        with self.lock:
            self.open.add(request)
        super().process_request(request, client_address)

    def process_request_thread(self, request, client_address):
        plain = request
        try:
            with contextlib.suppress(OSError):
                self.api.wait_while_mute(self)
                plain.settimeout(PATIENCE)
                tls = self.api.context.wrap_socket(plain, server_side=True)
                with self.lock:
                    self.open.discard(plain)
                    self.open.add(tls)
                plain = tls
                tls.settimeout(None)
                self.finish_request(tls, client_address)
        finally:
            with self.lock:
                self.open.discard(plain)
            with contextlib.suppress(OSError):
                self.shutdown_request(plain)

    def handle_error(self, request, client_address):
        """A client that goes away is nothing to report."""

    def drop_all(self):
        with self.lock:
            for connection in self.open:
                with contextlib.suppress(OSError):
                    socket.socket.shutdown(connection, socket.SHUT_RDWR)  # not SSLSocket's: another thread uses it


class FakeApiServer:
    """See the module. Threads of the server and of the test may call every method."""

    def __init__(self, folder, host="127.0.0.1", namespace="tfconfig-system", secret="tfconfig-webhook-ca",
                 registration="tfconfig-webhook"):
        self.host = host
        self.port = 0  # chosen at the first start
        self.namespace = namespace
        self.names = {SECRET: secret, REGISTRATION: registration}
        self.role = copy.deepcopy(ROLE)
        self.requests = []
        self.mute = False  # whether new connections are accepted and never spoken to
        self._work = folder
        self._objects = {}
        self._placed = {}
        self._history = []  # (resource version, event)
        self._version = 1000
        self._faults = []
        self._watches_end = 0  # how often watches were ended, cut or broken
        self._watches_how = None
        self._changed = threading.Condition()
        self._server = None
        self.folder = KubeletFolder(folder / "serviceaccount")
        self.token = ""
        self.folder.write(namespace=namespace.encode())
        self.rotate_ca()
        self.rotate_token()

    # What a client needs to find it

    @property
    def env(self):
        return {"KUBERNETES_SERVICE_HOST": self.host, "KUBERNETES_SERVICE_PORT": str(self.port)}

    def path(self, resource):
        """Of the one object of a resource."""
        return f"{RESOURCES[resource].prefix(self.namespace)}/{self.names[resource]}"

    def list_path(self, resource):
        """Of its list, which has that object alone: to watch it."""
        selector = f"fieldSelector=metadata.name%3D{self.names[resource]}"
        return f"{RESOURCES[resource].prefix(self.namespace)}?{selector}"

    # Life

    def start(self):
        self._server = _Server(self)
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self):
        """Connections end, and new ones are refused until start()."""
        server, self._server = self._server, None
        if server:
            server.shutdown()
            server.server_close()
            server.drop_all()
            self._notify()

    def is_current(self, server):
        return self._server is server

    def drop_connections(self):
        self._server.drop_all()

    def wait_while_mute(self, server):
        with self._changed:
            self._changed.wait_for(lambda: not self.mute or not self.is_current(server))

    def set_mute(self, mute):
        with self._changed:
            self.mute = mute
            self._changed.notify_all()

    # Certificates and tokens

    def rotate_ca(self, write=True):
        """Another CA signs the server's certificate from now on; without write the folder keeps the one before."""
        self.authority = Authority("kubernetes")
        self.context = self.authority.server_context(self._work / "api-server.pem", "kubernetes.default.svc",
                                                     "127.0.0.1", "::1")
        self.context.minimum_version = ssl.TLSVersion.TLSv1_2
        if write:
            self.folder.write(ca_crt=self.authority.pem)

    def rotate_token(self, write=True):
        """Another token is the only valid one; without write the folder keeps the one before."""
        self.token = f"token-{secrets.token_hex(16)}"
        if write:
            self.write_token()

    def write_token(self):
        self.folder.write(token=self.token.encode())

    # The objects, as an admin sees and changes them

    def get(self, resource):
        with self._changed:
            return copy.deepcopy(self._objects.get(resource))

    def put(self, resource, fields):
        """Creates the object, or replaces all of it; kind, name and the like may be left out."""
        with self._changed:
            return copy.deepcopy(self._store(resource, copy.deepcopy(fields)))

    def place(self, resource, namespace, name, **fields):
        """Creates a Service or StatefulSet, or replaces it."""
        kind = PLACED[resource]
        metadata = {**fields.pop("metadata", {}), "name": name, "namespace": namespace}
        with self._changed:
            self._placed[resource, namespace, name] = {"kind": kind.kind, "apiVersion": kind.api_version,
                                                       "metadata": metadata, **copy.deepcopy(fields)}

    def edit(self, resource, change):
        """Calls change with the object, to be changed in place."""
        with self._changed:
            fields = copy.deepcopy(self._objects[resource])
            change(fields)
            return copy.deepcopy(self._store(resource, fields))

    def touch(self, resource):
        """A change of no interest: another resource version."""
        return self.edit(resource, lambda fields: fields["metadata"].setdefault("annotations", {}).update(
            touched=str(self._version)))

    def delete(self, resource):
        with self._changed:
            self._version += 1
            gone = self._objects.pop(resource)
            gone["metadata"]["resourceVersion"] = str(self._version)
            self._tell("DELETED", resource, gone)

    def _store(self, resource, fields):
        """Under the lock. What does not change gets no new version, as with a real API server."""
        kind = RESOURCES[resource]
        before = self._objects.get(resource)
        metadata = fields.setdefault("metadata", {})
        fields.update(apiVersion=kind.api_version, kind=kind.kind)
        metadata["name"] = self.names[resource]
        if kind.namespaced:
            metadata["namespace"] = self.namespace
        metadata["uid"] = before["metadata"]["uid"] if before else str(uuid.uuid4())
        metadata["creationTimestamp"] = (before["metadata"]["creationTimestamp"] if before else
                                         time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))
        metadata["resourceVersion"] = str(self._version)
        if before:
            metadata["resourceVersion"] = before["metadata"]["resourceVersion"]
            if fields == before:
                return before
        if kind.kind == "Secret":
            fields.setdefault("type", "Opaque")
        self._version += 1
        metadata["resourceVersion"] = str(self._version)
        self._objects[resource] = fields
        self._tell("MODIFIED" if before else "ADDED", resource, fields)
        return fields

    def _tell(self, kind, resource, fields):
        self._history.append((self._version, resource, {"type": kind, "object": copy.deepcopy(fields)}))
        self._changed.notify_all()

    # Faults

    def fault(self, play, times=None, where=None):
        fault = Fault(play, times, where)
        with self._changed:
            self._faults.append(fault)
        return fault

    def fail(self, code, message="it was told to fail", times=None, where=None):
        """Answers with a Status."""
        def play(_, request):
            raise ApiError(code, REASONS.get(code, ""), message)
        return self.fault(play, times, where)

    def hang(self, times=None, where=None):
        """Reads a request and answers nothing until the fault ends, then as always."""
        def play(handler, request):
            server = handler.server
            while not fault.ended.wait(0.02) and self.is_current(server):
                pass
            handler.answer(request)
        fault = self.fault(play, times, where)
        return fault

    def say(self, body, code=200, content_type="application/json", times=None, where=None):
        """Answers with these bytes."""
        return self.fault(lambda handler, request: handler.reply(request, code, body, content_type), times, where)

    def garble(self, times=None, where=None):
        """Answers 200 with something that is not JSON."""
        return self.say(b'{"kind":"Secret","metadata":{"name":', times=times, where=where)

    def flood(self, times=None, where=None):
        """Answers 200 with a body that does not end."""
        def play(handler, request):
            handler.begin_stream(request)
            handler.send_chunk(b'{"padding":"')
            while True:
                handler.send_chunk(b"x" * 65536)
        return self.fault(play, times, where)

    def cut(self, times=None, where=None):
        """Cuts the connection in the middle of the answer's body."""
        def play(handler, request):
            body = json.dumps(self.get(request.resource or SECRET) or {"kind": "Status"}).encode()
            handler.reply(request, 200, body, send=len(body) // 2)
            handler.cut()
        return self.fault(play, times, where)

    def meanwhile(self, action, times=1, where=None):
        """Calls action() before a request is carried out, as if another client acted just then."""
        def play(handler, request):
            action()
            handler.answer(request)
        return self.fault(play, times, where)

    def disturb_next_patch(self, resource):
        """Another client is faster than the next patch of the object."""
        return self.meanwhile(lambda: self.touch(resource), where=lambda request: is_patch(request) and
                              request.resource == resource)

    def take_fault(self, request):
        with self._changed:
            for fault in list(self._faults):
                if fault.ended.is_set() or (fault.times is not None and fault.hits >= fault.times):
                    self._faults.remove(fault)
                elif fault.where(request):
                    fault.hits += 1
                    return fault
        return None

    # Watches

    def _end_watches(self, how):
        with self._changed:
            self._watches_end += 1
            self._watches_how = how
            self._changed.notify_all()

    def end_watches(self):
        """Regularly, as when their time is over."""
        self._end_watches(lambda handler: handler.end_stream())

    def cut_watches(self):
        """As when the network breaks."""
        self._end_watches(lambda handler: handler.cut())

    def break_watches(self, message="too old resource version: 1 (2)"):
        """With an event of type ERROR."""
        def how(handler):
            handler.send_event({"type": "ERROR", "object": ApiError(410, "Expired", message).status})
            handler.end_stream()
        self._end_watches(how)

    def follow(self, handler, request):
        """Serves a watch, in its thread."""
        with self._changed:
            version = self._version
            current = copy.deepcopy(self._objects.get(request.resource))
        self._follow_from(handler, request, version, [{"type": "ADDED", "object": current}] if current else [])

    def _follow_from(self, handler, request, version, first=()):
        deadline = time.monotonic() + float(request.query.get("timeoutSeconds", 300))
        with self._changed:
            ends = self._watches_end
        handler.begin_stream(request)
        for event in first:
            self._send_event(handler, request, event)
        while True:
            with self._changed:
                self._changed.wait_for(
                    lambda: self._watches_end > ends or self._version > version or
                    not self.is_current(handler.server), max(0, deadline - time.monotonic()))
                events = [event for number, resource, event in self._history
                          if number > version and resource == request.resource]
                if self._version > version and not events:
                    events = self._bookmarks(request)
                version = self._version
                how = self._watches_how if self._watches_end > ends else None
            for event in events:
                self._send_event(handler, request, event)
            if how:
                return how(handler)
            if not self.is_current(handler.server):
                return handler.cut()
            if time.monotonic() >= deadline:
                return handler.end_stream()

    def _bookmarks(self, request):
        """What a watch gets if only other objects have changed."""
        return []

    def _send_event(self, handler, request, event):
        handler.send_event(event)
        with self._changed:
            request.events += 1
            self._changed.notify_all()

    # The log of requests

    def record(self, request):
        with self._changed:
            self.requests.append(request)
            self._changed.notify_all()

    def seen(self, where):
        with self._changed:
            return [request for request in self.requests if where(request)]

    def wait_for(self, where, count=1, patience=PATIENCE):
        """Waits until so many requests of the kind have come; returns them all."""
        self.wait_until(lambda: len(self.seen(where)) >= count, f"{count} requests", patience)
        return self.seen(where)

    def wait_until(self, condition, what, patience=PATIENCE):
        """Waits until condition(), about this server's objects, requests or answers, is true."""
        with self._changed:
            assert self._changed.wait_for(condition, patience), f"still not so after {patience} s: {what}"

    def _notify(self):
        with self._changed:
            self._changed.notify_all()

    def note_status(self, request, status):
        with self._changed:
            request.status = status
            self._changed.notify_all()

    # What the API does

    def carry_out(self, request):
        """Returns (code, object or list) for anything but a watch."""
        with self._changed:
            if request.verb == "list":
                found = self._objects.get(request.resource)
                kind = RESOURCES[request.resource]
                return 200, {"kind": f"{kind.kind}List", "apiVersion": kind.api_version,
                             "metadata": {"resourceVersion": str(self._version)},
                             "items": [copy.deepcopy(found)] if found else []}
            if request.verb == "get":
                return 200, copy.deepcopy(self._find(request))
            if request.verb == "patch":
                return self._patch(request)
        raise ApiError(405, "MethodNotAllowed", "the server does not allow this method on the requested resource")

    def _find(self, request):
        if request.resource in PLACED:
            found = self._placed.get((request.resource, request.namespace, request.name))
        else:
            found = self._objects.get(request.resource) if request.name == self.names[request.resource] else None
        if not found:
            raise ApiError(404, "NotFound", f'{request.resource} "{request.name}" not found', name=request.name,
                           kind=request.resource)
        return found

    def _patch(self, request):
        content_type = request.headers.get("content-type", "")
        if content_type == "application/json-patch+json":
            return 200, self._json_patch(request)
        if content_type == "application/apply-patch+yaml":
            return self._apply(request)
        raise ApiError(415, "UnsupportedMediaType", "the body of the request was in an unknown format")

    def _json_patch(self, request):
        before = self._find(request)
        try:
            patch = jsonpatch.JsonPatch(json.loads(request.body))
        except (ValueError, jsonpatch.InvalidJsonPatch) as failure:
            raise ApiError(400, "BadRequest", f"error decoding patch: {failure}") from failure
        try:
            after = patch.apply(before)
        except (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException) as failure:
            raise ApiError(422, "Invalid", "the server rejected our request due to an error in our request"
                           ) from failure
        if after["metadata"].get("resourceVersion") != before["metadata"]["resourceVersion"]:
            raise ApiError(409, "Conflict", f'Operation cannot be fulfilled on {request.resource} "{request.name}": '
                           "the object has been modified; please apply your changes to the latest version and try "
                           "again", name=request.name, kind=request.resource)
        _validate(request.resource, after)
        return copy.deepcopy(self._store(request.resource, after))

    def _apply(self, request):
        """Creates the object, or merges the metadata alone."""
        if not request.query.get("fieldManager"):
            raise ApiError(422, "Invalid", "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is "
                           "required for apply patch", causes=[{"reason": "FieldValueRequired"}])
        fields = yaml.safe_load(request.body)
        kind = RESOURCES[request.resource]
        if not isinstance(fields, dict) or (fields.get("apiVersion"), fields.get("kind")) != (kind.api_version,
                                                                                               kind.kind):
            raise ApiError(400, "BadRequest", "the object provided is unrecognized")
        before = self._objects.get(request.resource)
        if not before:
            self._authorize(request, "create")
            _validate(request.resource, fields)
            return 201, copy.deepcopy(self._store(request.resource, fields))
        after = copy.deepcopy(before)
        for key in ("labels", "annotations"):
            if key in fields.get("metadata", {}):
                after["metadata"].setdefault(key, {}).update(fields["metadata"][key])
        return 200, copy.deepcopy(self._store(request.resource, after))

    def admit(self, request):
        """Checks who asks, and whether they may."""
        if request.token != self.token:
            raise ApiError(401, "Unauthorized", "Unauthorized")
        if not request.resource:
            raise ApiError(404, "NotFound", "the server could not find the requested resource")
        self._authorize(request, request.verb)

    def locate(self, request):
        """Fills in what the path and the method ask for."""
        for resource in RESOURCES.values():
            prefix = resource.prefix(self.namespace)
            if request.path == prefix or request.path.startswith(f"{prefix}/"):
                request.resource = resource.name
                request.name = request.path[len(prefix) + 1:]
        for resource in PLACED.values():
            match = re.fullmatch(resource.prefix("([^/]+)") + "/([^/]+)", request.path)
            if match:
                request.resource = resource.name
                request.namespace, request.name = match.groups()
        collection = not request.name
        if collection:
            match = re.fullmatch(r"metadata\.name=(.+)", request.query.get("fieldSelector", ""))
            request.name = match[1] if match else ""
        watch = request.query.get("watch") in ("1", "true")
        get = "watch" if watch else "list" if collection else "get"
        request.verb = {"GET": get, "POST": "create", "PATCH": "patch", "PUT": "update",
                        "DELETE": "deletecollection" if collection else "delete"}.get(request.method, "?")

    def _authorize(self, request, verb):
        known = request.resource in PLACED or request.name == self.names[request.resource]
        if known and request.resource in self.role.get(verb, ()):
            return
        kind = {**RESOURCES, **PLACED}[request.resource]
        where = f'in the namespace "{request.namespace or self.namespace}"' if kind.namespaced else "at the cluster scope"
        name = f' "{request.name}"' if request.name else ""
        raise ApiError(403, "Forbidden", f'{request.resource}{name} is forbidden: User "system:serviceaccount:'
                       f'{self.namespace}:tfconfig-webhook" cannot {verb} resource "{request.resource}" in API group '
                       f'"{kind.group}" {where}', name=request.name, kind=request.resource)


def _check_base64(kind, value):
    try:
        base64.b64decode(value, validate=True)
    except (binascii.Error, TypeError, ValueError) as failure:
        raise ApiError(400, "BadRequest", f'{kind} in version "v1" cannot be handled as a {kind}: illegal base64 data '
                       "at input byte 0") from failure


def _validate(resource, fields):
    """What a real API server would not store either, as far as a mistake of the client could cause it."""
    kind = RESOURCES[resource].kind
    for key, value in (fields.get("data") or {}).items():
        _check_base64(kind, value)
        if not re.fullmatch(r"[-._a-zA-Z0-9]+", key):
            raise ApiError(422, "Invalid", f'{kind} "{fields["metadata"]["name"]}" is invalid: data[{key}]: Invalid '
                           f'value: "{key}": a valid config key must consist of alphanumeric characters',
                           causes=[{"reason": "FieldValueInvalid", "field": f"data[{key}]"}])
    for webhook in fields.get("webhooks") or []:
        _check_base64(kind, webhook.get("clientConfig", {}).get("caBundle", ""))


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        """The log is the server's list of requests."""

    def _serve(self):
        length = int(self.headers.get("Content-Length", 0))
        url = urllib.parse.urlsplit(self.path)
        headers = {name.lower(): value for name, value in self.headers.items() if name.lower() != "authorization"}
        request = Request(method=self.command, path=url.path, query=dict(urllib.parse.parse_qsl(url.query)),
                          headers=headers, body=self.rfile.read(length), connection=self.client_address[1],
                          token=self.headers.get("Authorization", "").removeprefix("Bearer "))
        api = self.server.api
        api.locate(request)
        api.record(request)
        try:
            fault = api.take_fault(request)
            if fault:
                fault.play(self, request)
            else:
                self.answer(request)
        except ApiError as failure:
            self.reply(request, failure.code, json.dumps(failure.status).encode())
        except OSError:
            self.close_connection = True  # the client went away

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _serve

    def answer(self, request):
        """As the API would."""
        self.server.api.admit(request)
        if request.verb == "watch":
            self.server.api.follow(self, request)
        else:
            code, fields = self.server.api.carry_out(request)
            self.reply(request, code, json.dumps(fields).encode())

    def reply(self, request, code, body, content_type="application/json", send=None):
        """`send` bytes of the body; by default all."""
        self.server.api.note_status(request, code)
        self.send_response(code)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[:send])

    def begin_stream(self, request):
        self.server.api.note_status(request, 200)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def send_chunk(self, data):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

    def send_event(self, event):
        self.send_chunk(json.dumps(event, separators=(",", ":")).encode() + b"\n")

    def end_stream(self):
        self.wfile.write(b"0\r\n\r\n")

    def cut(self):
        self.close_connection = True
        socket.socket.shutdown(self.connection, socket.SHUT_RDWR)
