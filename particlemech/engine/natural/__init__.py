"""Mechanisms in space in natural coordinates: points and unit vectors, after Johnson [J84]."""
