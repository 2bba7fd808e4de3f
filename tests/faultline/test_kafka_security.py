"""Properties of Kafka's Java clients, translated for the command's client; what it cannot do is said."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from faultline.kafka_security import Brokers, brokers, client_options, options_of, properties_of
from records.errors import ConfigError

PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule"
SHADED = "org.apache.flink.kafka.shaded.org.apache.kafka.common.security.scram.ScramLoginModule"
PEM = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"


def credentials(module: str, user: str, password: str) -> str:
    return f"{module} required username={user} password={password};"


def options(**properties: str) -> dict[str, object]:
    return client_options({name.replace("_", "."): value for name, value in properties.items()}, "here")


def test_without_a_file_brokers_are_spoken_to_as_they_are() -> None:
    assert options_of(brokers("a:1,b:2", None)) == {"bootstrap_servers": ["a:1", "b:2"]}


def test_what_is_no_security_is_left_to_the_job() -> None:
    assert options(group_id="g", fetch_max_bytes="1", acks="all") == {}


@pytest.mark.parametrize(
    ("module", "mechanism", "user", "password", "expected"),
    [
        (PLAIN, "PLAIN", '"sre"', '"a b;c=d"', ("sre", "a b;c=d")),
        (PLAIN, "PLAIN", "'sre'", '"say \\"no\\""', ("sre", 'say "no"')),
        (SHADED, "SCRAM-SHA-512", "sre", "plain", ("sre", "plain")),
    ],
)
def test_credentials(module: str, mechanism: str, user: str, password: str, expected: object) -> None:
    config = credentials(module, user, password)
    told = options(security_protocol="SASL_SSL", sasl_mechanism=mechanism, sasl_jaas_config=config)
    assert (told["security_protocol"], told["sasl_mechanism"]) == ("SASL_SSL", mechanism)
    assert (told["sasl_plain_username"], told["sasl_plain_password"]) == expected


def test_certificates_and_keys_of_pem_files(tmp_path: Path) -> None:
    trusted, own = tmp_path / "ca.pem", tmp_path / "client.pem"
    for file in (trusted, own):
        file.write_text(PEM)
    told = client_options(
        {
            "security.protocol": "ssl",
            "ssl.truststore.location": str(trusted),
            "ssl.truststore.type": "PEM",
            "ssl.keystore.location": str(own),
            "ssl.keystore.type": "PEM",
            "ssl.key.password": "key",
            "ssl.endpoint.identification.algorithm": "",
        },
        "here",
    )
    assert told == {
        "security_protocol": "SSL",
        "ssl_cafile": str(trusted),
        "ssl_certfile": str(own),
        "ssl_keyfile": str(own),
        "ssl_password": "key",
        "ssl_check_hostname": False,
    }


@pytest.mark.parametrize(
    ("properties", "said", "mend"),
    [
        ({"security.protocoll": "SSL"}, "did you mean 'security.protocol'", "--kafka-config"),
        ({"security.protocol": "TLS"}, "'TLS' cannot be spoken", "SASL_SSL"),
        ({"security.protocol": "SASL_SSL"}, "no sasl.mechanism", "PLAIN"),
        (
            {"security.protocol": "SASL_SSL", "sasl.mechanism": "OAUTHBEARER"},
            "'OAUTHBEARER' cannot be spoken",
            "SCRAM-SHA-512",
        ),
        (
            {
                "security.protocol": "SASL_SSL",
                "sasl.mechanism": "PLAIN",
                "sasl.jaas.config": f"{PLAIN} required;",
            },
            "no username and no password",
            "PlainLoginModule required",
        ),
        ({"ssl.truststore.location": "/no/such.pem"}, "no file /no/such.pem", "path"),
        ({"ssl.truststore.certificates": PEM}, "not known", "ssl.truststore.location"),
    ],
)
def test_what_cannot_be_done_names_place_and_mend(properties: dict[str, str], said: str, mend: str) -> None:
    with pytest.raises(ConfigError) as caught:
        client_options(properties, "client.properties")
    assert caught.value.message.startswith("client.properties: ")
    assert said in caught.value.message
    assert mend in caught.value.mend


def test_a_store_of_java_is_refused_with_the_way_out(tmp_path: Path) -> None:
    store = tmp_path / "trust.jks"
    store.write_bytes(b"\xfe\xed\xfe\xed\x00\x00")
    with pytest.raises(ConfigError) as caught:
        client_options({"ssl.truststore.location": str(store)}, "here")
    assert "is no PEM file" in caught.value.message
    assert "keytool -exportcert -rfc" in caught.value.mend


def test_a_file_of_properties(tmp_path: Path) -> None:
    file = tmp_path / "client.properties"
    file.write_text(
        "# for kafka-topics.sh, too\n\nsecurity.protocol = SASL_PLAINTEXT\nsasl.mechanism=PLAIN\n"
        f'sasl.jaas.config={PLAIN} required \\\n    username="sre" \\\n    password="x=y";\n'
    )
    told = brokers("a:1", file)
    assert isinstance(told, Brokers)
    assert (str(told), "x=y" in repr(told)) == ("a:1", False)
    assert options_of(told) == {
        "bootstrap_servers": ["a:1"],
        "security_protocol": "SASL_PLAINTEXT",
        "sasl_mechanism": "PLAIN",
        "sasl_plain_username": "sre",
        "sasl_plain_password": "x=y",
    }


def test_a_line_that_is_no_property_is_named(tmp_path: Path) -> None:
    file = tmp_path / "client.properties"
    file.write_text("security.protocol=SSL\nssl\n")
    with pytest.raises(ConfigError, match=r"client\.properties:2: no property: 'ssl'"):
        properties_of(file)


def test_the_properties_of_a_job_s_configuration(tmp_path: Path) -> None:
    source = {"type": "kafka", "bootstrap_servers": "a:1", "topic": "t", "format": "native"}
    secure = {"properties": {"security.protocol": "SSL"}}
    sink = {"bootstrap_servers": "a:1"}
    file = tmp_path / "job.yaml"
    file.write_text(yaml.safe_dump({"sources": [{**source, **secure}], "sinks": {"kafka": sink}}))
    assert properties_of(file) == {"security.protocol": "SSL"}
    own = {"kafka": {**sink, "properties": {"security.protocol": "SASL_SSL"}}}
    file.write_text(yaml.safe_dump({"sources": [{**source, **secure}], "sinks": own}))
    assert properties_of(file) == {"security.protocol": "SASL_SSL"}
