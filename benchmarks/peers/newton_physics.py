"""Newton (Warp, here on the CPU): vertex block descent on springs."""

import json
import sys
import time

import newton
import numpy as np
import warp as wp


def main(source, out, settings):
    scene = np.load(source)
    wp.set_device("cpu")
    builder = newton.ModelBuilder(gravity=(0.0, 0.0, -9.81))
    builder.add_cloth_mesh(
        pos=wp.vec3(0.0, 0.0, 0.0),
        rot=wp.quat_identity(),
        scale=1.0,
        vel=wp.vec3(0.0, 0.0, 0.0),
        vertices=[wp.vec3(*p) for p in scene["rest"]],
        indices=scene["triangles"].ravel().tolist(),
        density=1.0,
        tri_ke=0.0,
        tri_ka=0.0,
        tri_kd=0.0,
        edge_ke=float(scene["bending"]),
        edge_kd=0.0,
        particle_radius=2e-3,
    )
    for i, j in scene["edges"]:
        builder.add_spring(int(i), int(j), float(scene["spring"]), 0.0, 0)
    for i, own in enumerate(scene["mass"]):
        builder.particle_mass[i] = float(own)
    for i in scene["pins"]:
        builder.particle_mass[int(i)] = 0.0
        builder.particle_flags[int(i)] = int(builder.particle_flags[int(i)]) & ~int(newton.ParticleFlags.ACTIVE)
    builder.color(include_bending=True)
    model = builder.finalize(device="cpu")
    solver = newton.solvers.SolverVBD(model, iterations=settings["iterations"], particle_enable_self_contact=False)
    now, after, control = model.state(), model.state(), model.control()
    now.particle_q.assign(np.ascontiguousarray(scene["start"], np.float32))
    after.particle_q.assign(np.ascontiguousarray(scene["start"], np.float32))
    h = float(scene["step"]) / settings["substeps"]
    positions, milliseconds, cpu = [], [], []
    for _ in range(int(scene["frames"])):
        began, began_cpu = time.perf_counter(), time.process_time()
        for _ in range(settings["substeps"]):
            now.clear_forces()
            solver.step(now, after, control, None, h)
            now, after = after, now
        x = now.particle_q.numpy().copy()
        milliseconds.append(1e3 * (time.perf_counter() - began))
        cpu.append(1e3 * (time.process_time() - began_cpu))
        positions.append(x)
    np.savez(out, positions=positions, milliseconds=milliseconds, cpu=cpu)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]))
