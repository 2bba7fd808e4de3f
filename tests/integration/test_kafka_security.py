"""The command against a broker that wants TLS and a password, with the file that Kafka's own tools take."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from faultline import exits
from faultline.kafka import last_values
from faultline.kafka_security import brokers
from faultline.kafka_send import COMPACTED, make_topic, send
from faultline.main import app
from onnx_models.bundle import default_bundle
from records.errors import MachineError
from records.java import find_java
from tests.kit.kafka import Broker

MODULE = "org.apache.kafka.common.security.plain.PlainLoginModule"


def keytool(*arguments: str) -> None:
    command = [str(find_java().with_name("keytool")), *arguments, "-storepass", "changeit"]
    subprocess.run(command, check=True, capture_output=True, timeout=300)


@dataclass
class Secure:
    broker: Broker
    folder: Path

    def file(self, password: str) -> Path:
        """Properties of a client with that password."""
        file = self.folder / f"{password}.properties"
        file.write_text(
            "security.protocol=SASL_SSL\nsasl.mechanism=PLAIN\nssl.truststore.type=PEM\n"
            f"ssl.truststore.location={self.folder / 'ca.pem'}\n"
            f'sasl.jaas.config={MODULE} required username="sre" password="{password}";\n'
        )
        return file


@pytest.fixture(scope="module")
def secure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secure]:
    folder = tmp_path_factory.mktemp("secure")
    store = ["-keystore", str(folder / "broker.p12"), "-alias", "broker"]
    names = ["-dname", "CN=localhost", "-ext", "san=dns:localhost"]
    keytool("-genkeypair", *store, "-storetype", "PKCS12", "-keyalg", "RSA", *names)
    keytool("-exportcert", "-rfc", *store, "-file", str(folder / "ca.pem"))
    users = 'username="broker" password="own" user_broker="own" user_sre="right"'
    settings = {
        "ssl.keystore.location": str(folder / "broker.p12"),
        "ssl.keystore.type": "PKCS12",
        "ssl.keystore.password": "changeit",
        "ssl.truststore.location": str(folder / "ca.pem"),
        "ssl.truststore.type": "PEM",
        "sasl.enabled.mechanisms": "PLAIN",
        "sasl.mechanism.inter.broker.protocol": "PLAIN",
        "listener.name.client.plain.sasl.jaas.config": f"{MODULE} required {users};",
    }
    with Broker(folder / "kafka", protocol="SASL_SSL", settings=settings) as broker:
        yield Secure(broker, folder)


def test_topics_are_made_written_and_read(secure: Secure) -> None:
    where = brokers(secure.broker.bootstrap, secure.file("right"))
    assert make_topic(where, "faultline.control.v1", COMPACTED)
    send(where, "faultline.control.v1", "p", b"{}")
    assert last_values(where, "faultline.control.v1") == {"p": b"{}"}


def test_commands_take_the_file(secure: Secure) -> None:
    where = ["--bootstrap", secure.broker.bootstrap, "--kafka-config", str(secure.file("right"))]
    for command in (["pattern", "status"], ["model", "status"]):
        done = CliRunner().invoke(app, [*command, *where])
        assert done.exit_code == exits.OK, done.output
    for command in (["publish", str(default_bundle())], ["rollback"]):
        done = CliRunner().invoke(app, ["model", *command, "--timeout", "1", *where])
        assert done.exit_code == exits.ENVIRONMENT, done.output
        assert "no job answered within 1 s" in done.output
    make_topic(brokers(secure.broker.bootstrap, secure.file("right")), "faultline.incidents.v1", {})
    done = CliRunner().invoke(app, ["events", "explain", "inc-0", "--bootstrap-servers", *where[1:]])
    assert done.exit_code == exits.USAGE, done.output
    assert "there are no events" in done.output


def test_without_the_file_the_mend_names_it(secure: Secure) -> None:
    with pytest.raises(MachineError) as caught:
        last_values(secure.broker.bootstrap, "any")
    assert "--kafka-config" in caught.value.mend
