"""Scene: bodies, colliders, gravity and air as a user gives them, validated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..errors import SceneError
from . import checks
from .body import Body
from .collider import Collider, Plane
from .field import Field
from .shape_collider import ShapeCollider
from .tie import Tie

Array = np.ndarray

#: Name of a scene in messages, and place where a user repairs it.
OWNER, SCENE = "Scene", "in the scene"


@dataclass
class Scene:
    """One world: all bodies collide with each other's colliders and share one gravity and one wind.

    gravity: [m/s^2]. wind: air velocity [m/s], (3,), or a function of time in seconds. air_density: [kg/m^3]; None is 1.2
    with a wind, and vacuum (0) without, so that a scene without air falls freely.
    drag, lift: dimensionless coefficients of a triangle's pressure along the relative wind and across it. The wind across a
    rope acts with the drag on its profile, that along it with 0.02 of the drag on its circumference.
    fields: force fields, or a function of time in seconds that returns them.
    ties: bonds of surfaces. tied_at: positions for their proximity search, body name -> its vertices [m], (n, 3), of bodies
    that do not start there.
    """

    bodies: Sequence[Body]
    colliders: Sequence[Collider | Plane | ShapeCollider] = ()
    gravity: Array = checks.until_checked((0.0, 0.0, -9.81))
    wind: Array | Callable[[float], Array] = checks.until_checked(None)
    air_density: float = checks.until_checked(None)
    drag: float = 1.0
    lift: float = 0.5
    ties: Sequence[Tie] = ()
    tied_at: Mapping[str, Array] = field(default_factory=dict)
    fields: Sequence[Field] | Callable[[float], Sequence[Field]] = ()

    def __post_init__(self) -> None:
        brackets = "Put it in brackets."
        self.bodies = checks.sequence(OWNER, "bodies", self.bodies, (Body,), "a list of bodies such as Cloth", brackets)
        kinds = Collider, Plane, ShapeCollider
        self.colliders = checks.sequence(OWNER, "colliders", self.colliders, kinds, "a list of Collider or Plane", brackets)
        self.ties = checks.sequence(OWNER, "ties", self.ties, (Tie,), "a list of Tie", brackets)
        if not self.bodies:
            raise SceneError("The scene has no bodies; wanted at least one. Add a GPBD Cloth, Soft Body or Rigid Body.")
        names = [item.name for item in [*self.bodies, *self.colliders]]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise SceneError(f"Two objects of the scene are named '{twice[0]}'; wanted unique names. Rename one.")
        for item in [*self.bodies, *self.colliders]:
            for name in item.touches or ():
                if name not in names:
                    raise SceneError(
                        f"{item.name}: touches '{name}', which the scene does not have; wanted one of {', '.join(names)}. "
                        "Name one of these, or None for all."
                    )
        for tie in self.ties:
            for name in (tie.body, tie.other):
                if name not in {body.name for body in self.bodies}:
                    raise SceneError(
                        f"Tie from '{tie.body}' to '{tie.other}': the scene has no body '{name}'; wanted one of "
                        f"{', '.join(body.name for body in self.bodies)}. Name one of these."
                    )
        counts = {body.name: len(body.vertices) for body in self.bodies}
        for tie in self.ties:
            if tie.vertices is not None:
                checks.indices(f"Tie from '{tie.body}' to '{tie.other}'", "vertices", tie.vertices, counts[tie.body])
        self.tied_at = checks.mapping(OWNER, "tied_at", self.tied_at)
        for name, pose in self.tied_at.items():
            if name not in counts:
                raise SceneError(
                    f"tied_at: the scene has no body '{name}'; wanted one of {', '.join(counts)}. Name one of these."
                )
            self.tied_at[name] = checks.vertices(f"{name} (tied_at)", "positions", pose, (counts[name], 3))
        self.gravity = checks.array(OWNER, "gravity", self.gravity, (3,), "m/s^2", checks.FASTEST)
        if self.air_density is None:
            self.air_density = 0.0 if self.wind is None else 1.2
        if self.wind is None:
            self.wind = np.zeros(3)
        self.wind_at(0.0)
        self.fields_at(0.0)
        arguments = self.air_density, "kg/m^3", checks.NOT_NEGATIVE, SCENE
        self.air_density = checks.number(OWNER, "air_density", *arguments)
        self.drag = checks.number(OWNER, "drag", self.drag, "", checks.NOT_NEGATIVE, SCENE)
        self.lift = checks.number(OWNER, "lift", self.lift, "", checks.NOT_NEGATIVE, SCENE)

    def wind_at(self, time: float) -> Array:
        """Air velocity [m/s], (3,), at a time [s]."""
        what, wind = "wind", self.wind
        if callable(wind) and not isinstance(wind, type):
            what, wind = f"wind at {time:g} s", wind(time)
        return checks.array(OWNER, what, wind, (3,), "m/s", checks.FASTEST)

    def fields_at(self, time: float) -> list[Field]:
        """The force fields at a time [s]."""
        if callable(self.fields) and not isinstance(self.fields, type):
            return checked_fields(f"{OWNER} at {time:g} s", self.fields(time))
        return checked_fields(OWNER, self.fields)

    @property
    def fields_move(self) -> bool:
        """True if the fields are a function of time."""
        return callable(self.fields) and not isinstance(self.fields, type)


def checked_fields(owner: str, fields: object) -> list[Field]:
    """Return a list of fields with distinct names. Raises: SceneError."""
    checked = checks.sequence(owner, "fields", fields, (Field,), "a list of Field", "Put Field(...) in brackets.")
    names = [one.name for one in checked]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise SceneError(f"{owner}: two fields are named '{twice[0]}'; wanted unique names. Rename one.")
    return checked
