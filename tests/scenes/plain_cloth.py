"""Cloth for tests of one part of the solver alone."""

from __future__ import annotations

from typing import Any

import solver


def plain_cloth(*description: Any, **more: Any) -> solver.Cloth:
    """Return a `solver.Cloth` without self-collision, with the given fields."""
    return solver.Cloth(*description, **{"self_contact": False} | more)
