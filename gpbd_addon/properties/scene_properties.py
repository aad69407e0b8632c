"""Properties in the .blend file of the simulation that all bodies of a scene share: `scene.gpbd`. Values are SI.

Blender reads the annotations as values, so this file must not postpone them (no `from __future__ import annotations`).
"""

from collections.abc import Callable
from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, StringProperty

from ...solver.scene import method_choices
from ...solver.scene.qualities import QUALITIES
from .number import number_property, percent_property, velocity_property

QUALITY_ITEMS = [
    ("INTERACTIVE", "Interactive", "3 substeps of 3 iterations: for playing live"),
    ("DRAFT", "Draft", "10 substeps of 3 iterations: for finding the motion"),
    ("PRODUCTION", "Production", "24 substeps of 4 iterations: for most shots"),
    ("REFERENCE", "Reference", "80 substeps of 6 iterations: for stiff materials, fast motion and comparisons"),
    (
        "ADAPTIVE",
        "Adaptive",
        "24 substeps, each iterated until every vertex is within 0.1 mm of its solution: time follows the motion",
    ),
    ("CUSTOM", "Custom", "Other numbers, set in the panel Simulation"),
]


def _choices(known: dict[str, tuple[str, str]]) -> list[tuple[str, str, str]]:
    """Items of an enum whose names are those of the solver, in capitals."""
    return [(name.upper(), label, text) for name, (label, text) in known.items()]


def _get_quality(self: "GPBD_PG_scene") -> int:
    names = [item[0] for item in QUALITY_ITEMS]
    now = (
        self.substeps,
        self.iterations,
        round(self.error_tolerance, 6),
        self.global_iterations,
    )  # stored in single precision
    return next((names.index(name) for name, values in QUALITIES.items() if values == now), names.index("CUSTOM"))


def _set_quality(self: "GPBD_PG_scene", value: int) -> None:
    name = QUALITY_ITEMS[value][0]
    if name in QUALITIES:  # "Custom" keeps the numbers that are there
        self.substeps, self.iterations, self.error_tolerance, self.global_iterations = QUALITIES[name]


#: Called with the scene when the range of the heat map has changed; what draws the map puts itself here.
range_watchers: list[Callable[[bpy.types.Scene], None]] = []


def _range_changed(self: bpy.types.bpy_struct, context: bpy.types.Context) -> None:
    for watcher in range_watchers:
        watcher(self.id_data)


def _own_range(self: "GPBD_PG_scene", context: bpy.types.Context) -> None:
    """A range that is set is meant."""
    self.own_range = True


#: Of the timeline, while nobody has changed it; and of the first bake then, as a first look wants no more.
UNTOUCHED, FIRST = (1, 250), (1, 120)


def _is_untouched(settings: bpy.types.bpy_struct) -> bool:
    """Return whether the timeline has Blender's default range."""
    return (settings.id_data.frame_start, settings.id_data.frame_end) == UNTOUCHED


def _is_first(settings: bpy.types.bpy_struct) -> bool:
    """Return whether no range is set, neither the timeline's nor the bake's."""
    return _is_untouched(settings) and not any(map(settings.is_property_set, ("frame_start", "frame_end")))


def _fill_range(self: "GPBD_PG_scene", context: bpy.types.Context) -> None:
    """Start a range that was never set from the offered one."""
    offered = self if _is_untouched(self) else self.id_data
    values = {name: getattr(offered, name) for name in ("frame_start", "frame_end") if not self.is_property_set(name)}
    for name, value in values.items() if self.own_range else ():
        setattr(self, name, value)


class _Air:
    """A mixin, because its annotations are generated."""

    __annotations__ = {**velocity_property("wind", "Wind", "Velocity of the air; can be animated", keyed=True)}


REST = "The bodies are at rest when the remaining force on them is below this share of their weight"
FULL_COLOUR = "Stretch that the heat map shows in full red; unstretched is blue"


class _Shares:
    """Properties stored as a share and shown in percent; a mixin, because its annotations are generated."""

    __annotations__ = {
        **percent_property("rest_threshold", "At Rest Below", REST, 1e-4, 1.0, 0.2),
        **percent_property("heat_map_range", "Full Color At", FULL_COLOUR, 1e-4, 10.0, 0.5),
    }


class _Grab:
    """Properties of the grab tool; a mixin, because its annotations are generated."""

    __annotations__ = {
        **number_property(
            "grab_radius", "Radius", "m", 0.1, 1e-4, 100.0,
            "Radius of the brush. Vertices inside it are grabbed, those in the middle most", keyed=False,
        ),
        **number_property(
            "grab_stiffness", "Stiffness", "N/m", 50.0, 1e-3, 1e6,
            "Stiffness of the spring. At 50, the weight of half a kilogram (5 N) stretches it by 10 cm",
            keyed=False,
        ),
    }  # fmt: skip


class GPBD_PG_scene(_Air, _Shares, _Grab, bpy.types.PropertyGroup):
    """The simulation that all GPBD bodies of a scene share"""

    @property
    def range_owner(self) -> Any:
        """Return the owner of `frame_start` and `frame_end` of a bake: the scene, or this group if it has its own range or
        no range is set yet."""
        return self if self.own_range or _is_first(self) else self.id_data

    own_range: BoolProperty(
        name="Own Range",
        description=("Give the bake its own range. Off: the range of the timeline, or 120 frames until you set a range"),
        default=False,
        options=set(),
        update=_fill_range,
    )
    frame_start: IntProperty(
        name="Start",
        description="First frame: the state that the simulation starts from",
        default=FIRST[0],
        options=set(),
        update=_own_range,
    )
    frame_end: IntProperty(
        name="End", description="Last frame of the bake", default=FIRST[1], options=set(), update=_own_range
    )
    live: BoolProperty(
        name="Live",
        description="Simulate while the timeline plays, if no body plays a bake",
        default=True,
        options=set(),
    )
    live_timing: EnumProperty(
        name="Live Timing",
        description=("Behavior of the timeline if the solver is slower. Every frame is simulated in both cases"),
        items=[
            ("EVERY", "Every Frame", "It waits for the solver: time goes slower"),
            ("NEWEST", "Newest Frame", "It goes on, and the newest frame is shown"),
        ],
        options=set(),
    )
    method: EnumProperty(
        name="Method",
        description="How the elements are solved; the materials are the same for all",
        items=_choices(method_choices.METHODS),
        options=set(),
    )
    integrator: EnumProperty(
        name="Motion",
        description="How much swing is kept: how velocities follow from positions",
        items=_choices(method_choices.INTEGRATORS),
        default="BDF2",
        options=set(),
    )
    quality: EnumProperty(
        name="Quality",
        description="Time against accuracy; sets Substeps, Iterations, Stop Below Error and Keep Length in the panel "
        "Simulation",
        items=QUALITY_ITEMS,
        options=set(),
        get=_get_quality,
        set=_set_quality,
    )
    substeps: IntProperty(
        name="Substeps",
        description="Steps a frame. More: stiffer, more precise contact, less damping; time grows with it",
        default=QUALITIES["PRODUCTION"][0],
        min=1,
        soft_max=100,
        max=1000,
        options=set(),
    )
    iterations: IntProperty(
        name="Iterations",
        description="Passes over all elements in a substep. More: closer to the exact step; time grows with it",
        default=QUALITIES["PRODUCTION"][1],
        min=1,
        soft_max=100,
        max=1000,
        options=set(),
    )
    error_tolerance: FloatProperty(
        name="Stop Below Error",
        description=(
            "Each substep iterates until every vertex is within this distance of its exact solution [mm], at most"
            " 50 times the iterations. 0 is off: always the same number of iterations"
        ),
        default=0.0,
        min=0.0,
        soft_max=1.0,
        max=1000.0,
        step=1,
        precision=3,
        unit="CAMERA",  # which Blender shows and reads in millimetres, whatever the units of the scene
        options=set(),
    )
    global_iterations: IntProperty(
        name="Keep Length",
        description=(
            "Iterations that solve each cloth as a whole, before those of its elements. Fine "
            "and stiff cloth keeps its length. 0 is off, 4 is a good number"
        ),
        default=QUALITIES["PRODUCTION"][3],
        min=0,
        soft_max=32,
        max=1000,
        options=set(),
    )
    local_iterations: IntProperty(
        name="Newton Steps",
        description="Newton steps of each element's own problem in an iteration, at most. More than 1 helps solids that are "
        "twisted or squashed far in one substep",
        default=1,
        min=1,
        soft_max=8,
        max=100,
        options=set(),
    )
    quasi_static: BoolProperty(
        name="No Inertia",
        description="Each substep ends at rest, under gravity, pins and colliders: for flesh that follows a skeleton. Every "
        "body needs a pin or something to lie on",
        default=False,
        options=set(),
    )
    sleep: BoolProperty(
        name="Sleep",
        description="Bodies that have come to rest on something are held still until something moves them: piles do "
        "not tremble, and cost less. Off: they are always simulated",
        default=True,
        options=set(),
    )
    samples: IntProperty(
        name="Motion Blur Samples",
        description=(
            "Stored poses of each frame. With more than one, motion blur follows arcs, and the cache grows by this factor"
        ),
        default=1,
        min=1,
        soft_max=8,
        max=64,
        options=set(),
    )
    speed: FloatProperty(
        name="Speed",
        description="Simulated time over that of the scene: 0.5 is half as fast. Key it to slow down and speed up; "
        "frames stay those of the scene",
        default=1.0,
        min=0.01,
        soft_max=2.0,
        max=100.0,
        step=5,
        precision=2,
    )
    relaxation: FloatProperty(
        name="Relaxation",
        description="Factor of each vertex's step; up to 1.7 converges faster. 1 is off",
        default=1.0,
        min=0.01,
        max=1.99,
        step=5,
        precision=2,
        options=set(),
    )
    chebyshev: FloatProperty(
        name="Chebyshev",
        description=(
            "Estimated convergence rate, by which each iteration is extrapolated; 0 is off. Not with a relaxation above 1"
        ),
        default=0.0,
        min=0.0,
        max=0.99,
        step=1,
        precision=3,
        options=set(),
    )
    threads: IntProperty(name="Threads", description="Processor cores to use; 0 takes all", min=0, max=1024, options=set())
    device: EnumProperty(
        name="Device",
        description=("Processor or GPU. Their results differ slightly, because the order of the elements differs"),
        items=[
            ("CPU", "CPU", "The processor's cores: the same result on every computer"),
            ("CUDA", "GPU", "NVIDIA GPU. The processor takes over frames that the GPU does not support"),
            ("AUTO", "Automatic", "A GPU where there is one, it can do all of the scene, and would be faster"),
        ],
        options=set(),
    )
    gpu: IntProperty(
        name="GPU",
        description="Which of several GPUs computes, from 1 on. 0 takes the first that can be used",
        min=0,
        soft_max=8,
        max=1000,
        options=set(),
    )
    cache_folder: StringProperty(
        name="Cache Folder",
        description="Folder of the bakes; // is the folder of the .blend file",
        default="//gpbd_cache",
        subtype="DIR_PATH",
        options={"OUTPUT_PATH", "PATH_SUPPORTS_BLEND_RELATIVE"},  # made by the bake: not red while it is not there
    )
    checkpoint_space: IntProperty(
        name="Checkpoints",
        description="Disk space that the checkpoints of a version may take [MB]. With less, older ones are further apart: "
        "Bake from Here begins further back",
        default=1024,
        min=1,
        soft_max=65536,
        max=1 << 20,
        options=set(),
    )
    drape_result: EnumProperty(
        name="Result",
        description="Use of the shape at rest",
        items=[
            ("SHAPE_KEY", "Shape Key", "A shape key of each mesh, with value 1: to keep, blend and edit"),
            (
                "START",
                "Start",
                ("Start shape of the simulation; each mesh keeps its shape, which is the unstretched one"),
            ),
        ],
        default="START",
        options=set(),
    )
    rest_threshold: FloatProperty(
        name="At Rest Below",
        description=REST,
        default=0.05,
        min=1e-4,
        max=1.0,
        soft_max=0.2,
        precision=3,
        step=1,
        options=set(),
    )
    heat_map_range: FloatProperty(
        name="Full Color At",
        description=FULL_COLOUR,
        default=0.05,
        min=1e-4,
        soft_max=0.5,
        max=10.0,
        subtype="FACTOR",
        precision=3,
        update=_range_changed,
        options=set(),
    )
    fields_known: BoolProperty(
        name="Fields", description="Written by a version of GPBD that knows all force fields", options=set()
    )
    air_density: FloatProperty(
        name="Air Density",
        description="Mass of a cubic meter of air [kg/m^3]; 0 is vacuum",
        default=1.2,
        min=0,
        soft_max=10,
        max=1e4,
    )
    drag: FloatProperty(
        name="Drag",
        description="Push of the wind along its direction",
        default=1,
        min=0,
        soft_max=4,
        max=100,
    )
    lift: FloatProperty(
        name="Lift",
        description="Push of the wind across its direction",
        default=0.5,
        min=0,
        soft_max=4,
        max=100,
    )
