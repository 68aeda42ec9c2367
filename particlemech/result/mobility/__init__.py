"""Mobility: how many freedoms a mechanism has and which joints are redundant, without a run."""
