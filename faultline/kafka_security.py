"""How brokers are spoken to: the properties of Kafka's Java clients, translated for kafka-python.

The job's Kafka clients are Java's, the command's are Python's; one file serves both. Imports nothing heavy.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from records.errors import ConfigError, UsageError
from records.validation import nearest

KafkaConfig = Annotated[
    Path | None,
    typer.Option(
        "--kafka-config",
        exists=True,
        dir_okay=False,
        metavar="FILE",
        help="How the brokers are spoken to: a Kafka client's .properties, or a job's configuration.",
    ),
]
"""The option of every command that speaks to a broker."""

PROTOCOLS: Final = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
MECHANISMS: Final = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "GSSAPI")
PEM: Final = b"-----BEGIN "
_PLAIN: Final = {
    "ssl.key.password": "ssl_password",
    "sasl.kerberos.service.name": "sasl_kerberos_service_name",
}
"""Properties whose value needs no translation."""
_PASSED_OVER: Final = frozenset(
    {
        "ssl.enabled.protocols",
        "ssl.keystore.password",
        "ssl.keystore.type",
        "ssl.protocol",
        "ssl.truststore.password",
        "ssl.truststore.type",
    }
)
"""Properties that say nothing that the file itself or Python's TLS does not say."""
_FILES: Final = {
    "ssl.truststore.location": ("ssl_cafile",),
    "ssl.keystore.location": ("ssl_certfile", "ssl_keyfile"),
}
_TRANSLATED: Final = frozenset(
    {"security.protocol", "sasl.mechanism", "sasl.jaas.config", "ssl.endpoint.identification.algorithm"}
)
_SECURITY: Final = ("security.", "sasl.", "ssl.")
_BROKER: Final = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\s:,/\[\]]+):\d{1,5}")
_CREDENTIAL: Final = re.compile(
    r"""\b(username|password)\s*=\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s;]+)"""
)


@dataclass(frozen=True)
class Brokers:
    """HOST:PORT[,...], and how they are spoken to: options of kafka-python."""

    servers: str
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def __str__(self) -> str:
        return self.servers


Servers = str | Brokers
"""Where a topic is; a text is spoken to without security."""


def options_of(servers: Servers) -> dict[str, Any]:
    """What every client of kafka-python is made with."""
    options = servers.options if isinstance(servers, Brokers) else {}
    return {"bootstrap_servers": str(servers).split(","), **options}


def brokers(servers: str, file: Path | None) -> Servers:
    """The brokers, spoken to as the file says; ConfigError where it cannot be translated.

    UsageError where a broker is not HOST:PORT.
    """
    for server in servers.split(",") if servers else ():
        if not _BROKER.fullmatch(server.strip()):
            raise UsageError(f"--bootstrap-servers: {server!r} is no broker", "write HOST:PORT[,HOST:PORT]")
    return servers if file is None else Brokers(servers, client_options(properties_of(file), str(file)))


def properties_of(file: Path) -> dict[str, str]:
    """The properties in a client's .properties, or those that a job's configuration gives its Kafka clients.

    Of a job those of the Kafka sink and of `control`, else of the first source that has any.
    """
    if file.suffix not in (".yaml", ".yml"):
        return _java_properties(file)
    from jobs.config import KafkaSource
    from jobs.config_loading import load_config

    config = load_config(file)
    sink = {} if config.sinks.kafka is None else config.sinks.kafka.properties
    sources = [each.properties for each in config.sources if isinstance(each, KafkaSource)]
    return {**sink, **config.control.properties} or next(filter(None, sources), {})


def _java_properties(file: Path) -> dict[str, str]:
    text = re.sub(r"\\\r?\n[ \t]*", "", file.read_text(encoding="utf-8"))
    found = {}
    for number, line in enumerate(text.splitlines(), 1):
        told = line.strip()
        if not told or told[0] in "#!":
            continue
        name, sign, value = told.partition("=")
        if not sign:
            raise ConfigError(f"{file}:{number}: no property: {told!r}", "write name=value")
        found[name.strip()] = value.strip()
    return found


def client_options(properties: Mapping[str, str], named: str) -> dict[str, Any]:
    """Options of kafka-python for what the properties say of security; others are passed over.

    `named`: where they stand, for errors. ConfigError for what Python's client cannot do.
    """
    wanted = {name: value for name, value in properties.items() if name.startswith(_SECURITY)}
    known = {*_PLAIN, *_FILES, *_TRANSLATED, *_PASSED_OVER}
    for name in wanted:
        if name not in known:
            message = f"{named}: {name}: not known to the command's Kafka client{nearest(name, known)}"
            raise ConfigError(
                message, f"name a file without it with --kafka-config; it knows {_listed(known)}"
            )
    options = {_PLAIN[name]: value for name, value in wanted.items() if name in _PLAIN}
    for name, places in _FILES.items():
        if name in wanted:
            options.update(dict.fromkeys(places, _pem(name, wanted[name], named)))
    return {**options, **_protocol(wanted, named), **_sasl(wanted, named)}


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names - _PASSED_OVER))


def _protocol(wanted: Mapping[str, str], named: str) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if "security.protocol" in wanted:
        options["security_protocol"] = _one_of("security.protocol", wanted, PROTOCOLS, named)
    if "ssl.endpoint.identification.algorithm" in wanted:
        options["ssl_check_hostname"] = bool(wanted["ssl.endpoint.identification.algorithm"])
    return options


def _one_of(name: str, wanted: Mapping[str, str], valid: tuple[str, ...], named: str) -> str:
    said = wanted[name].upper()
    if said not in valid:
        message = f"{named}: {name}: {wanted[name]!r} cannot be spoken by the command{nearest(said, valid)}"
        raise ConfigError(message, f"one of {', '.join(valid)}")
    return said


def _sasl(wanted: Mapping[str, str], named: str) -> dict[str, Any]:
    protocol = wanted.get("security.protocol", "PLAINTEXT").upper()
    if not protocol.startswith("SASL_"):
        return {}
    if "sasl.mechanism" not in wanted:
        raise ConfigError(f"{named}: no sasl.mechanism for {protocol}", f"one of {', '.join(MECHANISMS)}")
    mechanism = _one_of("sasl.mechanism", wanted, MECHANISMS, named)
    if mechanism == "GSSAPI":
        return {"sasl_mechanism": mechanism}
    found = {
        name: _unquoted(value) for name, value in _CREDENTIAL.findall(wanted.get("sasl.jaas.config", ""))
    }
    missing = [each for each in ("username", "password") if each not in found]
    if missing:
        message = f"{named}: sasl.jaas.config: no {' and no '.join(missing)} for {mechanism}"
        module = "plain.PlainLoginModule" if mechanism == "PLAIN" else "scram.ScramLoginModule"
        line = f'org.apache.kafka.common.security.{module} required username="..." password="...";'
        raise ConfigError(message, f"sasl.jaas.config={line}")
    return {
        "sasl_mechanism": mechanism,
        "sasl_plain_username": found["username"],
        "sasl_plain_password": found["password"],
    }


def _unquoted(value: str) -> str:
    return re.sub(r"\\(.)", r"\1", value[1:-1]) if value[0] in "\"'" else value


def _pem(name: str, value: str, named: str) -> str:
    """The path of a PEM file; Java's own kinds of stores are not read by Python."""
    path = Path(value)
    if not path.is_file():
        raise ConfigError(f"{named}: {name}: no file {value}", "correct the path")
    if PEM not in path.read_bytes():
        kind = name.split(".")[1]
        message = f"{named}: {name}: {value} is no PEM file, and the command reads no other {kind}"
        raise ConfigError(message, _EXPORT[name])
    return value


_EXPORT: Final = {
    "ssl.truststore.location": (
        "keytool -exportcert -rfc -keystore STORE -alias ALIAS -file ca.pem, and ssl.truststore.type=PEM"
    ),
    "ssl.keystore.location": (
        "openssl pkcs12 -in STORE -out client.pem, and ssl.keystore.type=PEM; Java's clients read it too"
    ),
}
