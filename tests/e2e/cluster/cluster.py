#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A whole Kubernetes of one node on this machine, in a network namespace of its own.

The API server, etcd, the controller manager, the scheduler, the kubelet with containerd, kube-proxy and CoreDNS, built
by the script `build` beside this file. All that a cluster makes is named after it and lies below build/e2e/NAME, so two
can run at once, nothing else on the machine is touched, and `down` leaves no trace, also of one that failed or was
killed.

Of Kubernetes there are two versions, `main` and `next`. The second is a newer control plane over the node of the first:
a kubelet may be three minor versions older than its API server.

Needs root. Trips that are avoided here are explained where they are avoided.
"""

import argparse
import base64
import fcntl
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import pki  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
E2E = ROOT / "build" / "e2e"
# Of each version of Kubernetes, where `build` puts the control plane; all else is with that of the first.
CONTROL_PLANES = {"main": "bin", "next": "bin-next"}
CONTROL_PLANE_PROGRAMS = {"kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl"}
NODE_ADDRESS = "172.31.255.1"
SERVICE_RANGE = "10.96.0.0/16"
API_SERVICE, DNS_SERVICE = "10.96.0.1", "10.96.0.10"
POD_RANGE = "10.244.0.0/16"
PATIENCE = 120  # seconds for anything to happen


def wait_for(condition, what, patience=PATIENCE):
    end = time.monotonic() + patience
    while time.monotonic() < end:
        result = condition()
        if result:
            return result
        time.sleep(0.3)  # what is asked is a process, often, and the cluster needs the processors too
    raise TimeoutError(f"not within {patience} s: {what}")


def run(*command, check=True, **settings):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **settings)
    if check and done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stdout}{done.stderr}")
    return done


class Cluster:
    def __init__(self, name="default", kubernetes="main"):
        self.name = name
        self.control_plane = E2E / CONTROL_PLANES[kubernetes]
        self.folder = E2E / name
        self.namespace = f"tfconfig-{name}"
        self.kubeconfig = self.folder / "admin.kubeconfig"

    # Processes

    def program(self, name):
        """The path of a program that `build` makes; another's path stays."""
        return (self.control_plane if name in CONTROL_PLANE_PROGRAMS else E2E / "bin") / name

    def start(self, program, *arguments):
        """Starts a program inside the network namespace, its output in NAME.log and its pid in NAME.pid."""
        path = self.program(program)
        name = path.name
        command = self.enter(path, *arguments)
        with open(self.folder / f"{name}.log", "ab") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                       start_new_session=True, cwd=self.folder)
        (self.folder / f"{name}.pid").write_text(str(process.pid))
        return process

    def pid(self, name):
        """Of a program that runs."""
        return int((self.folder / f"{name}.pid").read_text())

    def restart(self, name):
        """Ends a program and starts it as it was started."""
        path, *arguments = pathlib.Path(f"/proc/{self.pid(name)}/cmdline").read_text().rstrip("\0").split("\0")
        self.stop(name, patience=90)
        self.start(path, *arguments)

    def enter(self, *command):
        """A command that runs inside the network namespace. Not `ip netns exec`: that remounts /sys and so hides the
        cgroups from the kubelet."""
        return ["nsenter", f"--net=/run/netns/{self.namespace}", *map(str, command)]

    def is_ours(self, pid):
        """A pid may be another process's by now: ours were started in the cluster's folder."""
        try:
            return f"{os.readlink(f'/proc/{pid}/cwd')}/".startswith(f"{self.folder}/")
        except OSError:
            return False

    def stop(self, name, patience=15):
        file = self.folder / f"{name}.pid"
        if not file.exists():
            return
        pid = int(file.read_text())
        if self.is_ours(pid):
            os.kill(pid, signal.SIGTERM)
            try:
                wait_for(lambda: not self.is_ours(pid) or self.is_zombie(pid), f"{name} ends", patience)
            except TimeoutError:
                os.kill(pid, signal.SIGKILL)
        file.unlink()

    @staticmethod
    def is_zombie(pid):
        try:
            return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
        except OSError:
            return True

    # Files

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
        return path

    def write_kubeconfig(self, name, user, groups=()):
        certificate, key = self.authority.client(user, groups)
        encode = lambda data: base64.b64encode(data).decode()  # noqa: E731
        return self.write(f"{name}.kubeconfig", {
            "apiVersion": "v1", "kind": "Config", "current-context": self.name,
            "clusters": [{"name": self.name, "cluster": {
                "server": f"https://{NODE_ADDRESS}:6443",
                "certificate-authority-data": encode(self.authority.certificate)}}],
            "users": [{"name": user, "user": {"client-certificate-data": encode(certificate),
                                              "client-key-data": encode(key)}}],
            "contexts": [{"name": self.name, "context": {"cluster": self.name, "user": user}}],
        })

    # The parts

    def make_network(self):
        run("ip", "netns", "add", self.namespace)
        for command in (["link", "set", "lo", "up"],
                        # A bridge, as there need not be a dummy device; its address is the node's.
                        ["link", "add", "node0", "type", "bridge"],
                        ["addr", "add", f"{NODE_ADDRESS}/32", "dev", "node0"],
                        ["link", "set", "node0", "up"],
                        ["route", "add", "default", "dev", "node0"]):
            run("ip", "-n", self.namespace, *command)
        run("nsenter", f"--net=/run/netns/{self.namespace}", "sysctl", "-qw", "net.ipv4.ip_forward=1")

    def start_api_server(self):
        authority = self.authority = pki.Authority("cluster")
        ca = self.folder / "ca.crt"
        ca.write_bytes(authority.certificate)
        serving = authority.server("kube-apiserver", ["localhost", "kubernetes", "kubernetes.default",
                                                      "kubernetes.default.svc"],
                                   [NODE_ADDRESS, API_SERVICE, "127.0.0.1"])
        kubelet_client = authority.client("kube-apiserver-kubelet-client", ["system:masters"])
        for name, pair in (("apiserver", serving), ("kubelet-client", kubelet_client)):
            (self.folder / f"{name}.crt").write_bytes(pair[0])
            (self.folder / f"{name}.key").write_bytes(pair[1])
        (self.folder / "service-account.key").write_bytes(pki.rsa_key())
        self.start("etcd", "--data-dir", self.folder / "etcd", "--unsafe-no-fsync", "--log-level", "warn")
        self.start("kube-apiserver", "--etcd-servers=http://127.0.0.1:2379", f"--advertise-address={NODE_ADDRESS}",
                   f"--tls-cert-file={self.folder}/apiserver.crt",
                   f"--tls-private-key-file={self.folder}/apiserver.key", f"--client-ca-file={ca}",
                   "--service-account-issuer=https://kubernetes.default.svc",
                   f"--service-account-key-file={self.folder}/service-account.key",
                   f"--service-account-signing-key-file={self.folder}/service-account.key",
                   "--authorization-mode=Node,RBAC", "--allow-privileged=true",
                   f"--service-cluster-ip-range={SERVICE_RANGE}",
                   # Else logs and exec try to resolve the node's name.
                   "--kubelet-preferred-address-types=InternalIP",
                   f"--kubelet-client-certificate={self.folder}/kubelet-client.crt",
                   f"--kubelet-client-key={self.folder}/kubelet-client.key")
        self.write_kubeconfig("admin", "admin", ["system:masters"])
        wait_for(lambda: self.kubectl("get", "--raw", "/readyz", check=False).returncode == 0,
                 "the API server is ready")

    def start_control_plane(self):
        manager = self.write_kubeconfig("controller-manager", "system:kube-controller-manager")
        self.start("kube-controller-manager", f"--kubeconfig={manager}", f"--root-ca-file={self.folder}/ca.crt",
                   f"--service-account-private-key-file={self.folder}/service-account.key",
                   "--use-service-account-credentials=true", "--leader-elect=false")
        scheduler = self.write_kubeconfig("scheduler", "system:kube-scheduler")
        self.start("kube-scheduler", f"--kubeconfig={scheduler}", "--leader-elect=false")

    def start_containerd(self):
        cni = {
            "cniVersion": "1.0.0", "name": self.namespace,
            "plugins": [
                {"type": "bridge", "bridge": "pods0", "isGateway": True, "ipMasq": False, "hairpinMode": True,
                 # Its own folder: else the addresses stay in /var/lib/cni.
                 "ipam": {"type": "host-local", "ranges": [[{"subnet": POD_RANGE}]], "routes": [{"dst": "0.0.0.0/0"}],
                          "dataDir": str(self.folder / "cni-addresses")}},
                {"type": "portmap", "capabilities": {"portMappings": True}},
            ],
        }
        self.write("cni/10-pods.conflist", cni)
        config = self.write("containerd.toml", f"""version = 2
root = "{self.folder}/containerd"
state = "{self.folder}/containerd-state"
[grpc]
address = "{self.folder}/containerd.sock"
[ttrpc]
address = "{self.folder}/containerd-ttrpc.sock"
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "localhost/pause:1"
restrict_oom_score_adj = true
disable_apparmor = true
netns_mounts_under_state_dir = true
[plugins."io.containerd.grpc.v1.cri".containerd]
snapshotter = "overlayfs"
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "/usr/lib/cni"
conf_dir = "{self.folder}/cni"
""")
        self.start(shutil.which("containerd"), "--config", config)
        wait_for(lambda: self.ctr("version", check=False).returncode == 0, "containerd answers")
        self.load_image(self.pause_image())

    def ctr(self, *arguments, **settings):
        return run("ctr", "--address", self.folder / "containerd.sock", "--namespace", "k8s.io", *arguments, **settings)

    def load_image(self, archive):
        """Brings an image of `buildah push IMAGE docker-archive:FILE:IMAGE` onto the node."""
        self.ctr("images", "import", archive)

    def pause_image(self):
        archive = E2E / "pause.tar"
        with open(E2E / "pause.lock", "w") as lock:  # several clusters may start at once
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not archive.exists():
                self.make_pause_image(archive)
        return archive

    def make_pause_image(self, archive):
        part = archive.with_suffix(".part")
        part.unlink(missing_ok=True)
        storage = ["buildah", "--storage-driver", "vfs", "--root", E2E / "images", "--runroot", E2E / "images-run"]
        container = run(*storage, "from", "scratch").stdout.strip()
        run(*storage, "copy", container, self.program("pause"), "/pause")
        run(*storage, "config", "--entrypoint", '["/pause"]', container)
        run(*storage, "commit", "--quiet", container, "localhost/pause:1")
        run(*storage, "rm", container)
        run(*storage, "push", "--quiet", "localhost/pause:1", f"docker-archive:{part}:localhost/pause:1")
        part.rename(archive)

    def start_node(self):
        self.start_containerd()
        kubelet = self.write_kubeconfig("kubelet", "system:node:node", ["system:nodes"])
        resolv = self.write("resolv.conf", f"nameserver {NODE_ADDRESS}\n")
        for hierarchy in self.cgroup_hierarchies():
            (hierarchy / self.namespace).mkdir(exist_ok=True)
            if hierarchy.name == "cpuset":  # the kernel wants to be told what a new one may use
                for name in ("cpuset.cpus", "cpuset.mems"):
                    (hierarchy / self.namespace / name).write_text((hierarchy / name).read_text())
        config = self.write("kubelet.json", {
            "apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration",
            "authentication": {"anonymous": {"enabled": False}, "webhook": {"enabled": False},
                               "x509": {"clientCAFile": str(self.folder / "ca.crt")}},
            "authorization": {"mode": "AlwaysAllow"},
            "cgroupDriver": "cgroupfs", "cgroupRoot": f"/{self.namespace}", "failCgroupV1": False,
            "failSwapOn": False, "oomScoreAdj": 0,
            "enforceNodeAllocatable": [], "localStorageCapacityIsolation": False,
            "evictionHard": {"memory.available": "50Mi", "nodefs.available": "1%", "nodefs.inodesFree": "1%",
                             "imagefs.available": "1%"},
            "imageGCHighThresholdPercent": 100, "imageGCLowThresholdPercent": 99,
            "clusterDNS": [DNS_SERVICE], "clusterDomain": "cluster.local", "resolvConf": str(resolv),
            "containerRuntimeEndpoint": f"unix://{self.folder}/containerd.sock",
            "podLogsDir": str(self.folder / "pod-logs"), "serializeImagePulls": False,
            "volumePluginDir": str(self.folder / "volume-plugins"),
            "shutdownGracePeriod": "0s", "syncFrequency": "5s", "nodeStatusUpdateFrequency": "2s",
        })
        self.start("kubelet", f"--kubeconfig={kubelet}", f"--config={config}", "--hostname-override=node",
                   f"--node-ip={NODE_ADDRESS}", f"--root-dir={self.folder}/kubelet",
                   f"--cert-dir={self.folder}/kubelet-pki")
        proxy = self.write_kubeconfig("proxy", "system:kube-proxy")
        self.start("kube-proxy", f"--kubeconfig={proxy}", "--hostname-override=node", "--proxy-mode=iptables",
                   f"--cluster-cidr={POD_RANGE}", "--conntrack-max-per-core=0", "--conntrack-min=0",
                   "--conntrack-tcp-timeout-established=0s", "--conntrack-tcp-timeout-close-wait=0s")

    def start_dns(self):
        dns = self.write_kubeconfig("dns", "dns", ["system:masters"])
        corefile = self.write("Corefile", f""".:53 {{
    bind {NODE_ADDRESS}
    errors
    kubernetes cluster.local in-addr.arpa {{
        kubeconfig {dns}
        ttl 2
    }}
}}
""")
        self.start("coredns", "-conf", corefile)
        ports = [{"name": "dns", "port": 53, "protocol": "UDP"}, {"name": "dns-tcp", "port": 53, "protocol": "TCP"}]
        self.apply({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "kube-dns", "namespace": "kube-system"},
                    "spec": {"clusterIP": DNS_SERVICE, "ports": ports}},
                   {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
                    "metadata": {"name": "kube-dns", "namespace": "kube-system",
                                 "labels": {"kubernetes.io/service-name": "kube-dns"}},
                    "endpoints": [{"addresses": [NODE_ADDRESS], "conditions": {"ready": True}}], "ports": ports})

    # Using it

    def kubectl_command(self, *arguments):
        return self.enter(self.program("kubectl"), f"--kubeconfig={self.kubeconfig}", *arguments)

    def kubectl(self, *arguments, **settings):
        return run(*self.kubectl_command(*arguments), **settings)

    def apply(self, *objects):
        documents = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
        return self.kubectl("apply", "-f", "-", input=documents)

    def node_is_ready(self):
        found = self.kubectl("get", "node", "node", "-o", "json", check=False)
        conditions = json.loads(found.stdout)["status"]["conditions"] if found.returncode == 0 else []
        return any(condition["type"] == "Ready" and condition["status"] == "True" for condition in conditions)

    def up_alone(self):
        """The API server and etcd: objects are kept, and nobody acts on them."""
        self.down()
        self.folder.mkdir(parents=True)
        self.make_network()
        self.start_api_server()

    def up(self):
        self.up_alone()
        self.start_control_plane()
        self.start_node()
        self.start_dns()
        wait_for(self.node_is_ready, "the node is ready")
        wait_for(lambda: self.kubectl("get", "serviceaccount", "default", check=False).returncode == 0,
                 "the namespace default has its service account")

    @staticmethod
    def cgroup_hierarchies():
        """Of cgroup v1; there is none where the machine has v2, whose tree the kubelet makes by itself."""
        top = pathlib.Path("/sys/fs/cgroup")
        return [] if (top / "cgroup.controllers").exists() else [
            path for path in top.iterdir() if path.is_dir() and not path.is_symlink() and path.name != "unified"]

    def remove_cgroups(self):
        top = pathlib.Path("/sys/fs/cgroup")
        for hierarchy in [*self.cgroup_hierarchies(), top / "unified", top]:
            root = hierarchy / self.namespace
            folders = sorted((path for path in root.rglob("*") if path.is_dir()), reverse=True) if root.exists() else []
            for folder in [*folders, root]:
                try:
                    folder.rmdir()
                except OSError:
                    pass

    def tasks(self):
        return self.ctr("tasks", "list", "--quiet", check=False).stdout.split()

    def delete_pods(self):
        """Through the API, so that the kubelet takes down what it has set up; what does not end in time is killed."""
        self.stop("kube-controller-manager")
        deleted = self.kubectl("delete", "pods", "--all", "--all-namespaces", "--grace-period=1", "--wait=false",
                               "--request-timeout=5s", check=False)
        if deleted.returncode == 0:
            try:
                wait_for(lambda: not self.tasks(), "all containers end", 20)
            except TimeoutError:
                pass

    def mounts(self):
        lines = pathlib.Path("/proc/self/mounts").read_text().splitlines()
        points = [line.split()[1] for line in lines]
        return [point for point in points if point.startswith(f"{self.folder}/")]

    def kill_tasks(self):
        for task in self.tasks():
            self.ctr("tasks", "kill", "--all", "--signal", "SIGKILL", task, check=False)
            self.ctr("tasks", "delete", "--force", task, check=False)

    def kill_strays(self):
        """What still carries the cluster's folder in its command line: shims of containers, and what was started in it
        by a run that ended before it could note the pid."""
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                command = (entry / "cmdline").read_bytes()
                carries = f"{self.folder}/".encode() in command
                if carries and (b"containerd-shim" in command or self.is_ours(entry.name)):
                    os.kill(int(entry.name), signal.SIGKILL)
            except OSError:
                continue

    def down(self):
        if self.folder.exists():
            self.delete_pods()
            for name in ("kubelet", "kube-proxy", "kube-scheduler", "kube-controller-manager", "coredns"):
                self.stop(name)
            self.kill_tasks()
            self.stop("containerd")
            # The API server may take a minute to end by itself, and there is nothing here worth waiting for.
            for name in ("kube-apiserver", "etcd"):
                self.stop(name, patience=1)
            self.kill_strays()
            for point in reversed(self.mounts()):
                run("umount", "--lazy", point, check=False)
            for result in pathlib.Path("/var/lib/cni/results").glob(f"{self.namespace}-*"):
                result.unlink()
            self.remove_cgroups()
            shutil.rmtree(self.folder)
        if pathlib.Path(f"/run/netns/{self.namespace}").exists():
            run("ip", "netns", "del", self.namespace)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["up", "down"])
    parser.add_argument("name", nargs="?", default="default", help="of the cluster; `default` where none is given")
    parser.add_argument("--kubernetes", choices=CONTROL_PLANES, default="main", help="the version that `up` starts")
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("a cluster on this machine needs root")
    cluster = Cluster(arguments.name, arguments.kubernetes)
    if arguments.command == "down":
        cluster.down()
        return
    cluster.up()
    print(f"KUBECONFIG={cluster.kubeconfig}")
    print(f"enter it with: nsenter --net=/run/netns/{cluster.namespace} "
          f"{cluster.program('kubectl')} --kubeconfig={cluster.kubeconfig} get pods -A")


if __name__ == "__main__":
    main()
