"""Which operator set an ONNX file says it was written for, without the library `onnx` (a job has none).

Reads protobuf's wire format as far as that needs: ModelProto's field 8 is an OperatorSetIdProto with domain
(1) and version (2), see onnx.proto. Imports the standard library only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

_OPSET_IMPORT: Final = 8
_DOMAIN, _VERSION = 1, 2
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_FIXED: Final = {_FIXED64: 8, _FIXED32: 4}


def opset_of(model: bytes) -> int | None:
    """The version of the standard operators; None where the bytes are no ONNX model that names one."""
    try:
        for number, value in _fields(model):
            if number == _OPSET_IMPORT and isinstance(value, bytes):
                said = dict(_fields(value))
                if said.get(_DOMAIN, b"") in (b"", b"ai.onnx"):
                    version = said.get(_VERSION)
                    return version if isinstance(version, int) else None
    except (IndexError, ValueError):
        return None
    return None


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Number and value of each field; ValueError or IndexError where the bytes are no protobuf."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        kind = tag & 7
        if kind == _VARINT:
            value, at = _varint(data, at)
            yield tag >> 3, value
            continue
        if kind == _BYTES:
            size, at = _varint(data, at)
        elif kind in _FIXED:
            size = _FIXED[kind]
        else:
            raise ValueError(f"wire type {kind}")
        if at + size > len(data):
            raise ValueError("cut short")
        yield tag >> 3, data[at : at + size]
        at += size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            return value, at
        shift += 7
