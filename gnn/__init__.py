"""Offline side of the model: simulator, data sets, network, training, evaluation, export. Never imports
Flink.

``gnn.simulator`` needs numpy and ``records`` only; ``torch`` is imported in the modules of the network alone.
"""
