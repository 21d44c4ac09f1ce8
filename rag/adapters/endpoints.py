"""Which addresses a model provider may have; checked when it is set, and at every connection.

The rules follow OWASP's sheet on server-side request forgery: a list of allowed hosts, and the
addresses that a name resolves to are checked, not the name alone.
"""

import socket
from collections.abc import Collection
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Final
from urllib.parse import urlsplit

from rag.core.errors import InvalidOption

Address = IPv4Address | IPv6Address

# Where clouds give out credentials, apart from the link-local 169.254.169.254: Alibaba, Oracle,
# Azure, and the IPv6 ones of AWS and Google.
METADATA: Final = frozenset(
    map(
        ip_address,
        ("100.100.100.200", "192.0.0.192", "168.63.129.16", "fd00:ec2::254", "fd20:ce::254"),
    )
)
_NAT64: Final = IPv6Network("64:ff9b::/96")
_COMPATIBLE: Final = IPv6Network("::/96")


class Fault(Exception):
    """Why a call failed, in words that go into the sentence of a ProviderError."""


@dataclass(frozen=True)
class Endpoint:
    """An address that the settings may name: ``scheme://host[:port][/path]``."""

    scheme: str
    host: str
    port: int
    path: str

    @classmethod
    def of(cls, address: str, allowed: Collection[str]) -> "Endpoint":
        """Raises InvalidOption. Nothing is resolved: names are checked when they are used."""
        try:
            parts = urlsplit(address)
            host, port = (parts.hostname or "").rstrip("."), parts.port
        except ValueError:
            raise _unusable("an address", "use https://host:port") from None
        if "@" in parts.netloc:
            # Not shown: it holds a password.
            raise _unusable("an address with a user name", "give the key by its own setting")
        if parts.scheme not in ("http", "https") or not host or parts.query or parts.fragment:
            raise _unusable(address, "use https://host:port, or http:// on this machine")
        number = _literal(host)
        if not _is_loopback_name(host) and host not in {name.lower() for name in allowed}:
            raise _unusable(address, "the host is neither this machine nor an allowed host")
        if number and (fault := address_fault(number, parts.scheme)):
            raise _unusable(address, fault)
        standard = 443 if parts.scheme == "https" else 80
        return cls(parts.scheme, host, standard if port is None else port, parts.path.rstrip("/"))

    def url(self, path: str) -> str:
        """The address of a path; ``/v1`` is not doubled where the endpoint ends with it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        before = self.path.removesuffix("/v1") if path.startswith("/v1/") else self.path
        return f"{self.scheme}://{host}:{self.port}{before}{path}"


def resolved(host: str, port: int, scheme: str) -> list[tuple[str, int]]:
    """(address, port) of a host, best first. Raises Fault if one of them may not be contacted."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise Fault("its host name is not known") from None
    addresses = [str(entry[4][0]) for entry in found]
    for address in addresses:
        if fault := address_fault(ip_address(address), scheme):
            raise Fault(fault)
    return [(address, port) for address in addresses]


def address_fault(address: Address, scheme: str) -> str:
    """Why an address may not be contacted; empty if it may."""
    if _is_loopback(address):
        return ""
    inner = _unwrapped(address)
    if inner in METADATA or inner.is_link_local:
        return "its address is link-local or one where a cloud gives out credentials"
    if inner.is_unspecified or inner.is_multicast or inner.is_reserved or inner.is_loopback:
        return "its address is not one of a machine"
    if scheme == "http":
        return "without TLS only this machine is contacted; use https"
    return ""


def _unwrapped(address: Address) -> Address:
    """The IPv4 address that an IPv6 one stands for."""
    if isinstance(address, IPv4Address):
        return address
    inner = address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]
    if inner is None and (address in _NAT64 or (address in _COMPATIBLE and int(address) > 1)):
        inner = IPv4Address(int(address) & 0xFFFFFFFF)
    return inner or address


def _is_loopback_name(host: str) -> bool:
    number = _literal(host)
    return host == "localhost" if number is None else _is_loopback(number)


def _is_loopback(address: Address) -> bool:
    """Of this machine: written as IPv6 too, but not one that a gateway would have to translate."""
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address).is_loopback


def _literal(host: str) -> Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def _unusable(value: str, hint: str) -> InvalidOption:
    return InvalidOption("endpoint", value, hint)
