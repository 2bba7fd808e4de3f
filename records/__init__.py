"""What crosses a wire or a file: samples, edges, faults, recordings, frames, matches and incident events.

A leaf package: it imports no other package of the project, and neither Flink nor torch nor ONNX Runtime.
"""
