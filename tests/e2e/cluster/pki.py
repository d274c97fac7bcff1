# SPDX-License-Identifier: Apache-2.0
"""The certificates of a test cluster: one authority, and what it signs."""

import datetime
import ipaddress

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

LIFE = datetime.timedelta(days=30)


def pem_of(key):
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL,
                             serialization.NoEncryption())


def rsa_key():
    """For service-account tokens, which the API server signs with RSA."""
    return pem_of(rsa.generate_private_key(public_exponent=65537, key_size=2048))


class Authority:
    def __init__(self, name):
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        signed = self._sign(self.name, self.key, [(x509.BasicConstraints(ca=True, path_length=None), True)])
        self.certificate = signed.public_bytes(serialization.Encoding.PEM)

    def _sign(self, subject, key, extensions):
        now = datetime.datetime.now(datetime.timezone.utc)
        builder = (x509.CertificateBuilder().subject_name(subject).issuer_name(self.name)
                   .public_key(key.public_key()).serial_number(x509.random_serial_number())
                   .not_valid_before(now - datetime.timedelta(hours=1)).not_valid_after(now + LIFE))
        for extension, critical in extensions:
            builder = builder.add_extension(extension, critical)
        return builder.sign(self.key, hashes.SHA256())

    def _pair(self, subject, extensions):
        key = ec.generate_private_key(ec.SECP256R1())
        return self._sign(x509.Name(subject), key, extensions).public_bytes(serialization.Encoding.PEM), pem_of(key)

    def client(self, user, groups=()):
        """A certificate and key by which the API server knows a user and the user's groups."""
        subject = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, group) for group in groups]
        subject.append(x509.NameAttribute(NameOID.COMMON_NAME, user))
        return self._pair(subject, [(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH]), False)])

    def server(self, name, names, addresses):
        """A serving certificate and key for DNS names and addresses."""
        alternatives = [x509.DNSName(each) for each in names]
        alternatives += [x509.IPAddress(ipaddress.ip_address(each)) for each in addresses]
        return self._pair([x509.NameAttribute(NameOID.COMMON_NAME, name)],
                          [(x509.SubjectAlternativeName(alternatives), False),
                           (x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), False)])
