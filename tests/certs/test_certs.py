# SPDX-License-Identifier: Apache-2.0
"""`tfconfig-webhook certs`: what it mints, what it refuses, and what it leaves on the disk."""

import base64
import datetime
import os
import re
import resource
import signal
import shutil
import stat
import subprocess

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from cryptography.x509.verification import PolicyBuilder, Store

from conftest import ROOT, program_path

FILES = ["ca.crt", "ca.key", "tls.crt", "tls.key"]
SERVICE = ["--service", "tfconfig-webhook", "--namespace", "tfconfig-system"]
NAMES = ["tfconfig-webhook.tfconfig-system.svc", "tfconfig-webhook", "tfconfig-webhook.tfconfig-system"]


@pytest.fixture(autouse=True)
def needs_program(program):
    """Every test here runs the program."""


def certs(*arguments, **settings):
    command = [program_path(), "certs", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **settings)


def mint(folder, *arguments, **settings):
    done = certs("--out", folder, *SERVICE, *arguments, **settings)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def load(folder, name):
    return x509.load_pem_x509_certificate((folder / name).read_bytes())


def load_key(folder, name):
    return serialization.load_pem_private_key((folder / name).read_bytes(), password=None)


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def extension(certificate, kind):
    return certificate.extensions.get_extension_for_class(kind)


def test_names(tmp_path):
    mint(tmp_path / "plain")
    mint(tmp_path / "domain", "--cluster-domain", "cluster.local")
    for folder, names in ("plain", NAMES), ("domain", [*NAMES, f"{NAMES[0]}.cluster.local"]):
        leaf = load(tmp_path / folder, "tls.crt")
        assert extension(leaf, x509.SubjectAlternativeName).value.get_values_for_type(x509.DNSName) == names
        assert [a.value for a in leaf.subject.get_attributes_for_oid(NameOID.COMMON_NAME)] == [NAMES[0]]


def test_longest_names(tmp_path):
    service, namespace = "s" * 63, "n" * 63
    done = certs("--out", tmp_path, "--service", service, "--namespace", namespace)
    assert done.returncode == 0, done.stderr
    leaf = load(tmp_path, "tls.crt")
    assert [a.value for a in leaf.subject.get_attributes_for_oid(NameOID.COMMON_NAME)] == [service]
    names = extension(leaf, x509.SubjectAlternativeName).value.get_values_for_type(x509.DNSName)
    assert names[0] == f"{service}.{namespace}.svc"


@pytest.mark.parametrize("arguments, days", [([], 365), (["--days", "1"], 1), (["--days=3650"], 3650)])
def test_dates(tmp_path, arguments, days):
    before = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
    output = mint(tmp_path, *arguments)
    after = datetime.datetime.now(datetime.timezone.utc)
    for name in "ca.crt", "tls.crt":
        certificate = load(tmp_path, name)
        assert before <= certificate.not_valid_before_utc + datetime.timedelta(hours=1) <= after
        assert before <= certificate.not_valid_after_utc - datetime.timedelta(days=days) <= after
    assert f"valid until {certificate.not_valid_after_utc:%Y-%m-%d}\n" in output


def test_ca(tmp_path):
    mint(tmp_path)
    ca = load(tmp_path, "ca.crt")
    constraints, usage = extension(ca, x509.BasicConstraints), extension(ca, x509.KeyUsage)
    assert ca.version is x509.Version.v3
    assert ca.issuer == ca.subject
    (name,) = re.findall(r'MINT_CA_NAME "(.*)"', (ROOT / "include/pki/mint.h").read_text())
    assert [a.value for a in ca.subject.get_attributes_for_oid(NameOID.COMMON_NAME)] == [name]
    assert constraints.critical and constraints.value.ca and constraints.value.path_length == 0
    assert usage.critical and usage.value.key_cert_sign and usage.value.crl_sign
    assert not (usage.value.digital_signature or usage.value.key_encipherment or usage.value.key_agreement)
    assert extension(ca, x509.SubjectKeyIdentifier)


def test_leaf(tmp_path):
    mint(tmp_path)
    ca, leaf = load(tmp_path, "ca.crt"), load(tmp_path, "tls.crt")
    constraints, usage = extension(leaf, x509.BasicConstraints), extension(leaf, x509.KeyUsage)
    assert leaf.version is x509.Version.v3
    assert constraints.critical and not constraints.value.ca
    assert usage.critical and usage.value.digital_signature
    assert not (usage.value.key_cert_sign or usage.value.crl_sign or usage.value.key_encipherment)
    assert list(extension(leaf, x509.ExtendedKeyUsage).value) == [ExtendedKeyUsageOID.SERVER_AUTH]
    assert extension(leaf, x509.SubjectKeyIdentifier)
    authority = extension(leaf, x509.AuthorityKeyIdentifier).value
    assert authority.key_identifier == extension(ca, x509.SubjectKeyIdentifier).value.digest


def test_keys_and_serials(tmp_path):
    mint(tmp_path / "a")
    mint(tmp_path / "b")
    serials, public_keys = set(), set()
    for folder in tmp_path / "a", tmp_path / "b":
        for pair in "ca", "tls":
            certificate, key = load(folder, f"{pair}.crt"), load_key(folder, f"{pair}.key")
            assert isinstance(key.curve, ec.SECP256R1)
            assert certificate.public_key() == key.public_key()
            assert isinstance(certificate.signature_hash_algorithm, hashes.SHA256)
            assert 0 < certificate.serial_number < 2**159
            serials.add(certificate.serial_number)
            public_keys.add(key.public_key().public_numbers())
    assert len(serials) == len(public_keys) == 4


def test_verifies_for_every_name(tmp_path):
    mint(tmp_path, "--cluster-domain", "cluster.local")
    store = Store([load(tmp_path, "ca.crt")])
    for name in [*NAMES, f"{NAMES[0]}.cluster.local"]:
        PolicyBuilder().store(store).build_server_verifier(x509.DNSName(name)).verify(load(tmp_path, "tls.crt"), [])
    with pytest.raises(x509.verification.VerificationError):
        PolicyBuilder().store(store).build_server_verifier(x509.DNSName("other.svc")).verify(
            load(tmp_path, "tls.crt"), []
        )


@pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed")
def test_openssl_verifies(tmp_path):
    mint(tmp_path)
    command = ["openssl", "verify", "-x509_strict", "-purpose", "sslserver", "-verify_hostname", NAMES[0]]
    done = subprocess.run([*command, "-CAfile", tmp_path / "ca.crt", tmp_path / "tls.crt"], capture_output=True)
    assert done.returncode == 0, done.stderr
    mint(tmp_path / "other")
    done = subprocess.run([*command, "-CAfile", tmp_path / "other/ca.crt", tmp_path / "tls.crt"], capture_output=True)
    assert done.returncode != 0


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_modes(tmp_path, mask):
    folder = tmp_path / "new"
    mint(folder, umask=mask)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert sorted(os.listdir(folder)) == FILES
    for name in FILES:
        assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600


def test_folder_that_exists_keeps_its_mode_and_files(tmp_path):
    folder = tmp_path / "certs"
    folder.mkdir(mode=0o755)
    (folder / "kustomization.yaml").write_text("kind: Component\n")
    mint(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755
    assert sorted(os.listdir(folder)) == sorted([*FILES, "kustomization.yaml"])


@pytest.mark.parametrize("name", FILES)
def test_refuses_to_overwrite(tmp_path, name):
    (tmp_path / name).write_text("precious")
    done = certs("--out", tmp_path, *SERVICE)
    assert done.returncode == 1
    assert f"{tmp_path}/{name} exists" in done.stderr and "--force" in done.stderr
    assert done.stderr.count("\n") == 1 and done.stdout == ""
    assert contents(tmp_path) == {name: b"precious"}


def test_force_replaces_all(tmp_path):
    (tmp_path / "tls.key").write_text("old")
    (tmp_path / "tls.key").chmod(0o644)
    mint(tmp_path, "--force")
    first = contents(tmp_path)
    mint(tmp_path, "--force")
    second = contents(tmp_path)
    assert sorted(first) == sorted(second) == FILES
    assert all(first[name] != second[name] for name in FILES)
    assert stat.S_IMODE((tmp_path / "tls.key").stat().st_mode) == 0o600


def test_force_replaces_a_link_not_its_target(tmp_path):
    target = tmp_path / "elsewhere"
    target.write_text("precious")
    folder = tmp_path / "certs"
    folder.mkdir()
    (folder / "tls.key").symlink_to(target)
    mint(folder, "--force")
    assert target.read_text() == "precious"
    assert not (folder / "tls.key").is_symlink()


def test_full_disk_changes_nothing(tmp_path):
    """No file may grow beyond 600 bytes, which tls.crt, the third, does."""

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))

    mint(tmp_path)
    before = contents(tmp_path)
    done = certs("--out", tmp_path, *SERVICE, "--force", preexec_fn=limit)
    assert done.returncode == 1
    assert "tls.crt" in done.stderr and "File too large" in done.stderr
    assert contents(tmp_path) == before


def test_leftovers_of_a_killed_run_are_replaced(tmp_path):
    (tmp_path / ".new.tls.key").write_text("half")
    mint(tmp_path)
    assert sorted(os.listdir(tmp_path)) == FILES


def test_folder_in_the_way(tmp_path):
    (tmp_path / "tls.key").mkdir()
    done = certs("--out", tmp_path, *SERVICE, "--force")
    assert done.returncode == 1
    assert f"{tmp_path}/tls.key is a folder" in done.stderr
    assert os.listdir(tmp_path) == ["tls.key"]


@pytest.mark.parametrize("out", ["missing/below", "file"])
def test_out_is_no_folder(tmp_path, out):
    (tmp_path / "file").write_text("")
    done = certs("--out", tmp_path / out, *SERVICE)
    assert done.returncode == 1
    assert str(tmp_path / out) in done.stderr
    assert done.stderr.count("\n") == 1


def test_bundle_of_what_was_minted(tmp_path):
    output = mint(tmp_path, "--print-ca-bundle")
    assert output.count("\n") == 1 and output.endswith("\n")
    assert base64.b64decode(output, validate=False) == (tmp_path / "ca.crt").read_bytes()
    assert output.strip() == base64.b64encode((tmp_path / "ca.crt").read_bytes()).decode()


def test_bundle_of_a_folder_mints_nothing(tmp_path):
    minted = mint(tmp_path, "--print-ca-bundle")
    before = contents(tmp_path)
    done = certs("--out", tmp_path, "--print-ca-bundle")
    assert (done.returncode, done.stdout, done.stderr) == (0, minted, "")
    assert contents(tmp_path) == before


def test_bundle_of_an_empty_folder(tmp_path):
    done = certs("--out", tmp_path, "--print-ca-bundle")
    assert done.returncode == 1
    assert f"{tmp_path}/ca.crt" in done.stderr and done.stdout == ""
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "text", [b"", b"no certificate", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"]
)
def test_bundle_of_garbage(tmp_path, text):
    (tmp_path / "ca.crt").write_bytes(text)
    done = certs("--out", tmp_path, "--print-ca-bundle")
    assert done.returncode == 1
    assert f"{tmp_path}/ca.crt: no certificate in PEM" in done.stderr and done.stdout == ""
    assert done.stderr.count("\n") == 1


def test_bundle_of_an_expired_ca_warns(tmp_path):
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "old CA")])
    then = datetime.datetime(2020, 1, 1)
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1, then, then + datetime.timedelta(days=1))
    pem = builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    (tmp_path / "ca.crt").write_bytes(pem)
    done = certs("--out", tmp_path, "--print-ca-bundle")
    assert (done.returncode, done.stdout) == (0, base64.b64encode(pem).decode() + "\n")
    assert "has expired" in done.stderr


@pytest.mark.parametrize(
    "arguments, hint",
    [
        ([], "--out"),
        (["--out"], "--out"),
        (["--out", ""], "--out"),
        (["--out", "OUT"], "--service"),
        (["--out", "OUT", "--service", "a"], "--namespace"),
        (["--out", "OUT", "--namespace", "b"], "--service"),
        (["--out", "OUT", "--print-ca-bundle", "--force"], "--service"),
        (["--out", "OUT", "--print-ca-bundle", "--days", "3"], "--service"),
        (["--out", "OUT", *SERVICE, "--days", "0"], "--days"),
        (["--out", "OUT", *SERVICE, "--days", "3651"], "--days"),
        (["--out", "OUT", *SERVICE, "--days", "-1"], "--days"),
        (["--out", "OUT", *SERVICE, "--days", "1e3"], "--days"),
        (["--out", "OUT", *SERVICE, "--days", "99999999999999999999"], "--days"),
        (["--out", "OUT", "--service", "Upper", "--namespace", "b"], "--service"),
        (["--out", "OUT", "--service", "a.b", "--namespace", "b"], "--service"),
        (["--out", "OUT", "--service", "a", "--namespace", "n" * 64], "--namespace"),
        (["--out", "OUT", *SERVICE, "--cluster-domain", "cluster.local."], "--cluster-domain"),
        (["--out", "OUT", *SERVICE, "--cluster-domain", "a,DNS:evil"], "--cluster-domain"),
        (["--out", "OUT", *SERVICE, "--frobnicate"], "--frobnicate"),
        (["--out", "OUT", *SERVICE, "extra"], "extra"),
    ],
)
def test_wrong_usage(tmp_path, arguments, hint):
    done = certs(*[tmp_path / "out" if a == "OUT" else a for a in arguments])
    assert done.returncode == 2
    assert hint in done.stderr and done.stderr.count("\n") == 1 and done.stdout == ""
    assert os.listdir(tmp_path) == []


def test_domain_that_makes_the_name_too_long(tmp_path):
    done = certs("--out", tmp_path / "out", *SERVICE, "--cluster-domain", ".".join(["d" * 50] * 4 + ["d" * 40]))
    assert done.returncode == 1
    assert "253" in done.stderr
    assert os.listdir(tmp_path) == []


def test_reads_no_environment(tmp_path):
    mint(tmp_path, env={**os.environ, "TFCONFIG_WEBHOOK_DAYS": "garbage", "TFCONFIG_WEBHOOK_FORCE": "true"})
    assert certs("--out", tmp_path, *SERVICE, env={**os.environ, "TFCONFIG_WEBHOOK_FORCE": "true"}).returncode == 1


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_bundle_that_can_not_be_printed_is_a_failure(tmp_path):
    with open("/dev/full", "w") as full:
        command = [program_path(), "certs", "--out", tmp_path, *SERVICE, "--print-ca-bundle"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 1
    assert "stdout" in done.stderr


def test_help(tmp_path):
    done = certs("--help", "--out", tmp_path / "out")
    assert done.returncode == 0
    for flag in "--out", "--service", "--namespace", "--cluster-domain", "--days", "--force", "--print-ca-bundle":
        assert flag in done.stdout
    assert os.listdir(tmp_path) == []
