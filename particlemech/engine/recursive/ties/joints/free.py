"""Free joint: it ties nothing, and carries a body only where no other joint does."""

from __future__ import annotations

from particlemech.model.space.joints import Free

SPEC = Free
COST = 40.0
