"""Newton (Warp, here on the CPU): vertex block descent on springs, or on stable neo-Hookean tetrahedra.

The steps of a frame are recorded once as a graph and replayed, as Newton's own examples do, unless pins move.
"""

import json
import sys
import time

import newton
import numpy as np
import warp as wp


def add_body(builder, scene):
    placed = {"pos": wp.vec3(0.0, 0.0, 0.0), "rot": wp.quat_identity(), "scale": 1.0, "vel": wp.vec3(0.0, 0.0, 0.0)}
    placed["vertices"] = [wp.vec3(*p) for p in scene["rest"]]
    if "tetrahedra" in scene:
        young, nu = float(scene["young"]), float(scene["poisson"])
        builder.add_soft_mesh(
            **placed,
            indices=scene["tetrahedra"].ravel().tolist(),
            density=1.0,
            k_mu=young / (2 * (1 + nu)),
            k_lambda=young * nu / ((1 + nu) * (1 - 2 * nu)),
            k_damp=0.0,
            add_surface_mesh_edges=False,
            particle_radius=1e-3,
        )
        return
    builder.add_cloth_mesh(
        **placed,
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


class Body:
    """The body and a solver of it; `frame` advances it."""

    def __init__(self, scene, settings):
        builder = newton.ModelBuilder(gravity=(0.0, 0.0, -9.81))
        add_body(builder, scene)
        for i, mass in enumerate(scene["mass"]):
            builder.particle_mass[i] = float(mass)
        for i in scene["pins"]:
            builder.particle_mass[int(i)] = 0.0
            builder.particle_flags[int(i)] = int(builder.particle_flags[int(i)]) & ~int(newton.ParticleFlags.ACTIVE)
        builder.color(include_bending="triangles" in scene)
        self.model = builder.finalize(device="cpu")
        iterations = settings["iterations"]
        self.solver = newton.solvers.SolverVBD(self.model, iterations=iterations, particle_enable_self_contact=False)
        self.now, self.after, self.control = self.model.state(), self.model.state(), self.model.control()
        for state in (self.now, self.after):
            state.particle_q.assign(np.ascontiguousarray(scene["start"], np.float32))
        self.substeps = settings["substeps"]
        self.h = float(scene["step"]) / self.substeps
        self.pins, self.targets = scene["pins"], scene.get("targets")
        self.graph = None
        if self.targets is None:
            self.record()

    def record(self):
        x, v = self.now.particle_q.numpy().copy(), self.now.particle_qd.numpy().copy()
        self.steps()  # compiles
        with wp.ScopedCapture() as capture:
            self.steps()
        self.graph = capture.graph
        self.now.particle_q.assign(x)
        self.now.particle_qd.assign(v)

    def steps(self):
        """Run all substeps of a frame; the result is in the initial arrays, as a graph needs."""
        for _ in range(self.substeps):
            self.now.clear_forces()
            self.solver.step(self.now, self.after, self.control, None, self.h)
            self.now, self.after = self.after, self.now
        if self.substeps % 2:
            self.now, self.after = self.after, self.now
            wp.copy(self.now.particle_q, self.after.particle_q)
            wp.copy(self.now.particle_qd, self.after.particle_qd)

    def frame(self, number):
        """Positions after frame `number`, from 0."""
        if self.targets is not None:
            self.now.particle_q.numpy()[self.pins] = self.targets[number]  # on the CPU a view
        if self.graph is not None:
            wp.capture_launch(self.graph)
        else:
            self.steps()
        return self.now.particle_q.numpy().copy()


def main(source, out, settings):
    wp.set_device("cpu")
    scene = np.load(source)
    body = Body(scene, settings)
    positions, milliseconds, cpu = [], [], []
    for number in range(int(scene["frames"])):
        began, began_cpu = time.perf_counter(), time.process_time()
        x = body.frame(number)
        milliseconds.append(1e3 * (time.perf_counter() - began))
        cpu.append(1e3 * (time.process_time() - began_cpu))
        positions.append(x)
    np.savez(out, positions=positions, milliseconds=milliseconds, cpu=cpu)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]))
