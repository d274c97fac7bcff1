# SPDX-License-Identifier: Apache-2.0
"""Certificates for tests: a CA that signs what a test asks for."""

import datetime
import ipaddress
import ssl

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


def _general_name(name):
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _builder(subject, issuer, key, begins, ends):
    now = datetime.datetime.now(datetime.timezone.utc)
    return (x509.CertificateBuilder()
            .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, subject)]))
            .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
            .public_key(key.public_key()).serial_number(x509.random_serial_number())
            .not_valid_before(now + datetime.timedelta(seconds=begins))
            .not_valid_after(now + datetime.timedelta(seconds=ends)))


def _pem_of(key):
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                             serialization.NoEncryption())


class Authority:
    """A CA with an ECDSA P-256 key."""

    def __init__(self, name="test-ca"):
        self.name = name
        self._key = ec.generate_private_key(ec.SECP256R1())
        self.certificate = (_builder(name, name, self._key, -3600, 86400)
                            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
                            .add_extension(x509.SubjectKeyIdentifier.from_public_key(self._key.public_key()),
                                           critical=False)
                            .sign(self._key, hashes.SHA256()))
        self.pem = self.certificate.public_bytes(serialization.Encoding.PEM)

    @property
    def key_pem(self):
        """Its own key."""
        return _pem_of(self._key)

    def issue(self, *names, begins=-3600, ends=86400):
        """A serving certificate for DNS names and IP addresses, valid between two times from now: PEM, key first."""
        key = ec.generate_private_key(ec.SECP256R1())
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        leaf = (_builder(names[0], self.name, key, begins, ends).add_extension(issuer, critical=False)
                .add_extension(x509.SubjectAlternativeName([_general_name(name) for name in names]), critical=False)
                .sign(self._key, hashes.SHA256()))
        return _pem_of(key) + leaf.public_bytes(serialization.Encoding.PEM)

    def server_context(self, path, *names, **dates):
        """A context for a server whose certificate it signs; its PEM goes to the path."""
        path.write_bytes(self.issue(*names, **dates))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(path)
        return context
