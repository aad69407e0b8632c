"""Goal of a body, a spring to its animated mesh: a mixin.

Blender reads the annotations as values, so this file must not postpone them (no `from __future__ import annotations`).
"""

import math
from typing import TYPE_CHECKING

from bpy.props import BoolProperty, FloatProperty, StringProperty

from .group_names import suggested
from .number import KEYED, OWN

if TYPE_CHECKING:
    from .object_properties import GPBD_PG_object

#: Frequency [Hz] and damping ratio [1] of the least and of the most jiggle.
TIGHT, LOOSE = (8.0, 0.4), (1.0, 0.1)


def _jiggle(self: "GPBD_PG_object") -> float:
    """Return the amount that the frequency stands for, 0 to 1."""
    share = math.log(TIGHT[0] / self.goal_frequency) / math.log(TIGHT[0] / LOOSE[0])
    return min(max(share, 0.0), 1.0)


def _set_jiggle(self: "GPBD_PG_object", amount: float) -> None:
    self.goal_frequency, self.goal_damping_ratio = (
        tight * (loose / tight) ** amount for tight, loose in zip(TIGHT, LOOSE, strict=True)
    )


class GoalProperties:
    """Spring of `object.gpbd` to the animated mesh."""

    use_goal: BoolProperty(
        name="Goal",
        description="A spring pulls every vertex to where the animation has it: flesh that follows a character, and jiggles",
        default=False,
        **OWN,
    )
    goal_jiggle: FloatProperty(
        name="Jiggle",
        description="Sets both numbers below: 0 is tight, 1 is loose",
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        options={"SKIP_SAVE"},
        get=_jiggle,
        set=_set_jiggle,
    )
    goal_frequency: FloatProperty(
        name="Goal Stiffness",
        description=(
            "Frequency at which a vertex of weight 1 swings about its animated place [Hz], at any mass. The "
            "stiffness grows with its square"
        ),
        default=2.0,
        min=0.01,
        soft_max=20.0,
        max=1000.0,
        step=10,
        **KEYED,
    )
    goal_damping_ratio: FloatProperty(
        name="Goal Damping",
        description="Damping ratio of the goal's spring: 0 swings on, 1 does not swing",
        default=0.2,
        min=0.0,
        soft_max=1.0,
        max=100.0,
        step=1,
        precision=3,
        **KEYED,
    )
    goal_weight: FloatProperty(
        name="Goal Strength",
        description=("Share of the spring and its damping, times the weights of the group. Key it to release and catch"),
        default=1.0,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        **KEYED,
    )
    goal_group: StringProperty(
        name="Goal Group",
        description="Vertex group or float attribute with the strength of each vertex, 0 to 1; empty: 1",
        search=suggested,
        **OWN,
    )
