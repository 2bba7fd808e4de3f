"""Simulated systems with known faults: topology, load, faults, propagation, observation, and their
recordings.

numpy and ``records`` only; the same seed gives the same system, byte for byte.
"""

from gnn.simulator.recording import incident_recording
from gnn.simulator.system import Simulation, simulate

__all__ = ["Simulation", "incident_recording", "simulate"]
