"""Readers of foreign files, which make a mechanism of what they find."""
