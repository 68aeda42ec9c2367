"""Planar mechanisms of equivalent particles, after Attia 2000 [A00]."""
