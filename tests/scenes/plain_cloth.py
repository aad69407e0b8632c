"""Cloth of tests that ask for one part of the solver alone."""

from __future__ import annotations

from typing import Any

import solver


def plain_cloth(*description: Any, **more: Any) -> solver.Cloth:
    """A `solver.Cloth` that does not collide with itself, but for what is given."""
    return solver.Cloth(*description, **{"self_contact": False} | more)
