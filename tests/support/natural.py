"""Runs of mechanisms in space by natural coordinates, whatever engine would run them by itself."""

from __future__ import annotations

from functools import partial

import particlemech as pm

natural = partial(pm.simulate, formulation="natural")
