"""Small scenes for the tests of the add-on, made without operators where Blender allows it."""

from __future__ import annotations

import numpy as np

from solver.cache import pc2 as frames


def mesh_object(bpy, name, vertices, faces, location=(0, 0, 0)):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([tuple(map(float, v)) for v in vertices], [], [tuple(map(int, f)) for f in faces])
    mesh.update()
    ob = bpy.data.objects.new(name, mesh)
    ob.location = location
    bpy.context.scene.collection.objects.link(ob)
    return ob


def grid(bpy, name="Flag", n=6, size=1.0, location=(0, 0, 1)):
    """A square of n x n quads in the plane z = 0."""
    t = np.linspace(-size / 2, size / 2, n + 1)
    vertices = [(x, y, 0) for y in t for x in t]
    rows = [(j * (n + 1) + i, j * (n + 1) + i + 1) for j in range(n) for i in range(n)]
    faces = [(a, b, b + n + 1, a + n + 1) for a, b in rows]
    return mesh_object(bpy, name, vertices, faces, location)


def cube(bpy, name="Jelly", size=1.0, location=(0, 0, 1)):
    h = size / 2
    vertices = [(x, y, z) for x in (-h, h) for y in (-h, h) for z in (-h, h)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return mesh_object(bpy, name, vertices, faces, location)


def edges(bpy, name="Rope", count=12, length=1.0, location=(0, 0, 1)):
    """A straight line of edges along x."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([(length * k / count, 0.0, 0.0) for k in range(count + 1)], [(k, k + 1) for k in range(count)], [])
    ob = bpy.data.objects.new(name, mesh)
    ob.location = location
    bpy.context.scene.collection.objects.link(ob)
    return ob


def cloth(bpy, name="Flag", pins=(), n=6, end=6, **where):
    """A grid that is a GPBD cloth, with pinned vertices; the scene bakes frames 1 to `end`."""
    ob = grid(bpy, name, n, **where)
    body(bpy, ob, "CLOTH", pins, end)
    return ob


def soft(bpy, name="Jelly", pins=(), end=6, method="LATTICE", **where):
    """A cube that is a GPBD soft body."""
    ob = cube(bpy, name, **where)
    ob.gpbd.tet_method = method
    ob.gpbd.tet_resolution = 0.3
    body(bpy, ob, "SOFT_BODY", pins, end)
    return ob


def body(bpy, ob, body_type, pins=(), end=6):
    ob.gpbd.body_type = body_type
    ob.gpbd.self_contact = False  # which tests of it switch on
    ob.gpbd.uuid = f"{len(bpy.data.objects):032x}"[::-1]
    if len(pins):
        ob.vertex_groups.new(name="pins").add(list(pins), 1.0, "REPLACE")
        ob.gpbd.pin_group = "pins"
    scene = bpy.context.scene
    scene.gpbd.frame_start, scene.gpbd.frame_end = 1, end
    scene.gpbd.substeps, scene.gpbd.iterations = 3, 4


def field(bpy, kind, strength=1.0, location=(0, 0, 0), rotation=(0, 0, 0)):
    """An empty with a force field of this kind, named after it."""
    ob = bpy.data.objects.new(kind.title(), None)
    ob.location, ob.rotation_euler = location, rotation
    bpy.context.scene.collection.objects.link(ob)
    bpy.context.view_layer.objects.active = ob
    bpy.ops.object.forcefield_toggle()
    ob.field.type, ob.field.strength = kind, strength
    return ob


def floor(bpy, name="Floor", size=4.0):
    ob = grid(bpy, name, 2, size, (0, 0, 0))
    ob.modifiers.new("Collision", "COLLISION")
    return ob


def move(ob, frames, values, path="location"):
    """Keyframes, in straight lines between them."""
    for frame, value in zip(frames, values, strict=True):
        setattr(ob, path, value)
        ob.keyframe_insert(path, frame=frame)
    straighten(ob)


def straighten(owner):
    """Makes all of its F-curves straight lines between keyframes."""
    for layer in owner.animation_data.action.layers:
        for strip in layer.strips:
            for bag in strip.channelbags:
                for curve in bag.fcurves:
                    for key in curve.keyframe_points:
                        key.interpolation = "LINEAR"


def read_frame(blender, frame):
    """Return the world gathered at first, and the data of a frame."""
    from gpbd.gpbd_addon.read import modifier, scene_input

    scene = blender.context.scene
    layer, bodies = scene_input.view_layer_of(scene), scene_input.bodies_of(scene)
    with modifier.switched_off(bodies):
        first = scene_input.gather(scene, layer, bodies)
        return first, scene_input.read_frame(scene, layer, first, frame)


def evaluated_positions(bpy, ob):
    """Object-space vertices as Blender evaluates them now, (n, 3) float32."""
    mesh = ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    x = np.empty(len(mesh.vertices) * 3, np.float32)
    mesh.attributes["position"].data.foreach_get("vector", x)
    return x.reshape(-1, 3)


def world_positions(bpy, ob):
    x = evaluated_positions(bpy, ob).astype(float)
    matrix = np.array(ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world)
    return x @ matrix[:3, :3].T + matrix[:3, 3]


def bake(bpy, **options):
    """Bakes the open scene to the end; the finished job. options: those of BakeJob."""
    from gpbd.gpbd_addon.bake.job import BakeJob

    job = BakeJob(bpy.context.scene, **options)
    job.run()
    return job


def save(bpy, folder):
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "shot.blend"))


def cache(job, name="Flag"):
    """The frames that a job wrote, (frames, n, 3)."""
    return frames.read_frames(job.files.paths[name])


def moving_flag(bpy, folder):
    """A flag on a moving pole over a moving ball, in a saved file; 12 frames."""
    flag = cloth(bpy, pins=[0, 6], end=12)
    flag.rotation_euler = (0.2, 0.1, 0)
    move(flag, [1, 12], [(0, 0, 1), (0.4, 0, 1.2)])
    ball = cube(bpy, "Ball", 0.4, (0, 0, 0.6))
    ball.modifiers.new("Collision", "COLLISION")
    move(ball, [1, 12], [(0, 0, 0.6), (0, 0, 0.9)])
    save(bpy, folder)
    return flag


def check(bpy):
    """The sentences of Check Scene."""
    from gpbd.gpbd_addon.bake import scene_check

    return [found.text for found in scene_check.check(bpy.context.scene)]


def workers_in_threads(monkeypatch):
    """Workers run in this process, where a test can put something else in their place."""
    from gpbd.solver.device import worker

    def refused(*_):
        raise OSError("a test wants a thread")

    worker.end_idle()
    monkeypatch.setattr(worker._Process, "__init__", refused)


def unstable_at(monkeypatch, frame):
    """Lets the solver of a bake fail at this frame."""
    from gpbd.solver.errors import UnstableError
    from gpbd.solver.simulation import Simulation

    advance = Simulation.advance_frame

    def unstable(self, inputs):
        if inputs.number == frame:
            raise UnstableError(f"Frame {frame}: vertex 0 of 'Flag' has left the finite numbers.")
        return advance(self, inputs)

    workers_in_threads(monkeypatch)
    monkeypatch.setattr(Simulation, "advance_frame", unstable)
