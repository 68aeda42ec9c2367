"""Mechanisms in poses, their drivers released: what named quantities are, and how they follow from the motion."""
