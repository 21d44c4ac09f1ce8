"""Only this machine and allowed hosts are contacted, and only over TLS beyond this machine."""

import socket
import ssl
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from rag.adapters import transport
from rag.adapters.endpoints import Endpoint, address_fault
from rag.adapters.http import JsonClient
from rag.core.errors import InvalidOption, ProviderError

ALLOWED = ("models.example", "10.0.0.7", "169.254.169.254", "fe80::1")


@pytest.mark.parametrize(
    ("address", "url"),
    [
        ("http://127.0.0.1:11434", "http://127.0.0.1:11434/v1/x"),
        ("http://localhost:8080/", "http://localhost:8080/v1/x"),
        ("http://[::1]:80/api", "http://[::1]:80/api/v1/x"),
        ("https://Models.Example", "https://models.example:443/v1/x"),
        ("https://models.example./v1", "https://models.example:443/v1/x"),
        ("https://10.0.0.7/openai/v1/", "https://10.0.0.7:443/openai/v1/x"),
    ],
)
def test_an_allowed_endpoint(address: str, url: str) -> None:
    assert Endpoint.of(address, ALLOWED).url("/v1/x") == url


@pytest.mark.parametrize(
    "address",
    [
        "",
        "models.example",
        "ftp://127.0.0.1",
        "file:///etc/passwd",
        "https://other.example",
        "https://models.example.evil.example",
        "https://models.example@evil.example",
        "http://user:password@127.0.0.1",
        "https://127.0.0.1:99999",
        "https://127.0.0.1?x=1",
        "https://127.0.0.1#x",
        "http://[::1",
        "http://10.0.0.7",
        "https://169.254.169.254",
        "https://[fe80::1]",
        "https://0.0.0.0",
        "http://2130706433",
        "http://[::ffff:169.254.169.254]",
    ],
)
def test_any_other_is_refused_without_its_password(address: str) -> None:
    with pytest.raises(InvalidOption) as caught:
        Endpoint.of(address, ALLOWED)
    assert "password" not in str(caught.value).replace("etc/passwd", "")


@pytest.mark.parametrize(
    "address",
    [
        *("169.254.169.254", "169.254.0.1", "100.100.100.200", "168.63.129.16", "192.0.0.192"),
        *("fe80::1", "fe80::1%2", "fd00:ec2::254", "fd20:ce::254"),
        *("::ffff:169.254.169.254", "::ffff:a9fe:a9fe", "64:ff9b::a9fe:a9fe", "::a9fe:a9fe"),
        *(
            "2002:7f00:1::",
            "64:ff9b::7f00:1",
            "2002:a9fe:a9fe::",
            "0.0.0.0",
            "::",
            "224.0.0.1",
            "ff02::1",
            "255.255.255.255",
        ),
    ],
)
def test_no_address_that_gives_out_credentials_is_contacted(address: str) -> None:
    assert address_fault(ip_address(address), "https")


@pytest.mark.parametrize("address", ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"])
def test_this_machine_is_contacted_without_tls(address: str) -> None:
    assert address_fault(ip_address(address), "http") == ""


@pytest.mark.parametrize("address", ["10.0.0.7", "192.168.1.1", "93.184.216.34", "fd00::7"])
def test_others_are_contacted_with_tls_alone(address: str) -> None:
    assert "use https" in address_fault(ip_address(address), "http")
    assert address_fault(ip_address(address), "https") == ""


def resolving(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> list[tuple[str, int]]:
    """Every name is at these addresses; what is connected to is noted and refused."""
    tried: list[tuple[str, int]] = []

    def connect(address: tuple[str, int], timeout: float) -> None:
        tried.append(address)
        raise ConnectionRefusedError

    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 443)) for address in addresses]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **named: found)
    monkeypatch.setattr(socket, "create_connection", connect)
    return tried


def fault_of(endpoint: str) -> str:
    with pytest.raises(ProviderError) as caught:
        JsonClient("acme", endpoint, allowed_hosts=ALLOWED, deadline=2).get("/x", "asking")
    return str(caught.value)


@pytest.mark.parametrize("others", [(), ("93.184.216.34",)])
def test_a_name_that_leads_to_a_metadata_address_is_not_contacted(
    monkeypatch: pytest.MonkeyPatch, others: tuple[str, ...]
) -> None:
    tried = resolving(monkeypatch, *others, "169.254.169.254")
    assert "asking failed: its address is link-local" in fault_of("https://models.example")
    assert tried == []


def test_a_name_of_this_machine_that_leads_elsewhere_is_not_contacted_without_tls(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried = resolving(monkeypatch, "93.184.216.34")
    assert "without TLS only this machine is contacted" in fault_of("http://localhost")
    assert tried == []


def test_the_addresses_that_were_checked_are_those_that_are_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried = resolving(monkeypatch, "10.0.0.1", "10.0.0.2")
    assert "the connection was refused" in fault_of("https://models.example")
    assert tried == [("10.0.0.1", 443), ("10.0.0.2", 443)]


def test_a_name_that_is_not_known_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: Any, **named: Any) -> None:
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    assert "its host name is not known" in fault_of("https://models.example")


# TLS


def certificate(folder: Path, name: str) -> Path:
    """A self-signed certificate with its key, for that name."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    file = folder / f"{name}.pem"
    file.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return file


def serve_tls(file: Path) -> Iterator[int]:
    """Port of a server with this certificate that answers one request with JSON."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    body = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"

    def answer(listening: socket.socket) -> None:
        try:
            with context.wrap_socket(listening.accept()[0], server_side=True) as connection:
                connection.recv(65536)
                connection.sendall(body)
        except OSError:
            """The client did not trust it."""

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=answer, args=(listening,))
        thread.start()
        yield listening.getsockname()[1]
        thread.join()


@pytest.fixture(autouse=True)
def own_trust() -> Iterator[None]:
    """Trusted certificates are read anew for each test."""
    transport._trusted.cache_clear()
    yield
    transport._trusted.cache_clear()


@pytest.mark.parametrize(("name", "trusted"), [("localhost", False), ("other.example", True)])
def test_a_certificate_that_is_not_trusted_or_not_its_own_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, trusted: bool
) -> None:
    file = certificate(tmp_path, name)
    if trusted:
        monkeypatch.setenv("SSL_CERT_FILE", str(file))
    for port in serve_tls(file):
        said = fault_of(f"https://localhost:{port}")
        assert "asking failed: its certificate is not trusted" in said


def test_a_certificate_that_the_machine_trusts_is_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = certificate(tmp_path, "localhost")
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    for port in serve_tls(file):
        asking = JsonClient("acme", f"https://localhost:{port}", deadline=5)
        assert asking.get("/x", "asking") == {}
