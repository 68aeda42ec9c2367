"""Influence coefficients of bending links, and Lagrange's equations made of them [G88]."""
