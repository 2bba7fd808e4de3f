"""The wire formats that the job reads, by name; the decoders are the JVM's. Imports nothing."""

from __future__ import annotations

from enum import StrEnum


class Format(StrEnum):
    """A wire format; `by_header` lets each record's content type choose."""

    otlp_proto = "otlp_proto"
    otlp_json = "otlp_json"
    prometheus = "prometheus"
    telegraf = "telegraf"
    jaeger_dependencies = "jaeger_dependencies"
    zipkin_dependencies = "zipkin_dependencies"
    native = "native"
    by_header = "by_header"
