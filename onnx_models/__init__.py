"""Where the offline and the online side meet: snapshot encoding, bundle format, scorer and fallback.

Imports ``records`` and numpy; ``onnxruntime`` only in :mod:`onnx_models.scorer`. ``released/`` holds the
bundles.
"""
