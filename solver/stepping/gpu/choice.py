"""Choice of the device by `auto`: whether a GPU can compute all frames of a scene, and is faster."""

from __future__ import annotations

from dataclasses import replace

from ...device.cuda.choice import AUTO, CPU, CUDA, Work, choose
from ...scene import Scene, Settings
from ...scene.features import features

#: Features (`scene.features`) that only the CPU computes; scenes with them run there (`frame.why_not`).
ON_CPU = {
    "tolerance",
    "error_tolerance",
}
ON_CPU |= {
    "rope",
    "rigid_ties",
    "shape_matched",
    "tearing",
    "local_iterations",
    "method:newton",
    "method:xpbd",
    "method:pbd",
    "dtype:float64",
}
#: An element's local solve reads and writes so many bytes at least: rest, displacements, index, four corners. A vertex, in
#: the stages that are one a substep.
ELEMENT_BYTES, VERTEX_BYTES = 200, 300
#: Launches of a sweep, one a colour of each energy; of the other stages of a substep.
SWEEP_LAUNCHES, SUBSTEP_LAUNCHES = 20, 8
#: Of a frame's report.
REPORT_LAUNCHES = 166
#: Of *Keep Length*: launches of a substep, and bytes of a vertex that its systems and their iterations read, of which there
#: are more beside contact. As they were when they were timed; small ones that follow one another are one launch now.
GLOBAL_LAUNCHES, GLOBAL_BYTES = 270, 30_000
GLOBAL_LAUNCHES_IN_CONTACT, GLOBAL_BYTES_IN_CONTACT = 1_080, 120_000
#: The same of soft bodies, whose systems have more iterations; a third of these until they are settled.
SOLID_LAUNCHES, SOLID_BYTES = 870, 80_000


def settled(scene: Scene, settings: Settings) -> Settings:
    """Replace `auto` in the settings by a device: "cpu", "cuda:1", "cuda-serial". Raises: SceneError."""
    if settings.device == AUTO and left_to_cpu(scene, settings):
        return replace(settings, device=CPU)
    chosen = choose(settings.device, work_of(scene, settings))
    device = chosen.kind if chosen.device is None else f"{CUDA}:{chosen.device.index}"
    return replace(settings, device=device) if device != settings.device else settings


def left_to_cpu(scene: Scene, settings: Settings) -> bool:
    """Return whether the CPU would have to compute every frame."""
    return not ON_CPU.isdisjoint(features(scene, settings))


def work_of(scene: Scene, settings: Settings) -> Work:
    """Estimate the work of a substep from meshes: a face is a stretch element and one and a half hinges."""
    elements = vertices = 0
    for body in scene.bodies:
        faces, tetrahedra = getattr(body, "triangles", None), getattr(body, "tetrahedra", None)
        elements += len(tetrahedra) if tetrahedra is not None else 5 * len(faces) // 2 if faces is not None else 0
        vertices += len(body.vertices)
    launches = settings.iterations * SWEEP_LAUNCHES + SUBSTEP_LAUNCHES + REPORT_LAUNCHES // settings.substeps
    moved = settings.iterations * elements * ELEMENT_BYTES + vertices * VERTEX_BYTES
    if not settings.global_iterations:
        return Work(launches, moved)
    if "contact" in features(scene, settings):
        return Work(launches + GLOBAL_LAUNCHES_IN_CONTACT, moved + vertices * GLOBAL_BYTES_IN_CONTACT)
    solid = sum(len(body.vertices) for body in scene.bodies if body.kind == "soft_body")
    more = (vertices - solid) * GLOBAL_BYTES + solid * SOLID_BYTES
    return Work(launches + (SOLID_LAUNCHES if solid else GLOBAL_LAUNCHES), moved + more)
