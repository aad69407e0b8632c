"""PositionBasedDynamics (C++, coloured Gauss-Seidel, OpenMP): XPBD of springs with isometric bending, or of tetrahedra.

Its gravity is fixed to -y, so the scene is turned. Of solids one iteration a substep: with more it diverges.
"""

import json
import sys
import time

import numpy as np
import pypbd as pbd

XPBD_DISTANCE, XPBD_BENDING, XPBD_FEM = 4, 3, 3


def turned(points):
    return np.stack([points[..., 0], points[..., 2], -points[..., 1]], -1)


def add_body(model, scene):
    rest = list(turned(scene["rest"]))
    if "tetrahedra" in scene:
        mesh = model.addTetModel(rest, scene["tetrahedra"].ravel().tolist())
        young, nu = float(scene["young"]), float(scene["poisson"])
        model.addSolidConstraints(mesh, XPBD_FEM, young, nu, young, False, False)
        return
    mesh = model.addTriangleModel(rest, scene["triangles"].ravel().tolist(), testMesh=False)
    k = float(scene["spring"])
    model.addClothConstraints(mesh, XPBD_DISTANCE, k, k, k, k, 0.3, 0.3, False, False)
    model.addBendingConstraints(mesh, XPBD_BENDING, float(scene["bending"]))


def main(source, out, settings):
    scene = np.load(source)
    pbd.Logger.addFileSink(pbd.LogLevel.ERR, "pbd.log")
    simulation = pbd.Simulation.getCurrent()
    simulation.initDefault()
    model, step = simulation.getModel(), simulation.getTimeStep()
    step.setValueUInt(pbd.TimeStepController.NUM_SUB_STEPS, settings["substeps"])
    step.setValueUInt(pbd.TimeStepController.MAX_ITERATIONS, settings["iterations"])
    step.setValueUInt(pbd.TimeStepController.MAX_ITERATIONS_V, 0)
    pbd.TimeManager.getCurrent().setTimeStepSize(float(scene["step"]))
    add_body(model, scene)
    particles = model.getParticles()
    pins, mass = scene["pins"], scene["mass"].copy()
    mass[pins] = 0.0
    start = turned(scene["start"])
    for i, particle_mass in enumerate(mass):
        particles.setMass(i, float(particle_mass))
        particles.setPosition(i, start[i])
    targets = turned(scene["targets"]) if "targets" in scene else None
    positions, milliseconds, cpu = [], [], []
    for frame in range(int(scene["frames"])):
        if targets is not None:
            for i, target in zip(pins, targets[frame], strict=True):
                particles.setPosition(int(i), target)
        began, began_cpu = time.perf_counter(), time.process_time()
        step.step(model)
        milliseconds.append(1e3 * (time.perf_counter() - began))
        cpu.append(1e3 * (time.process_time() - began_cpu))
        x = np.array(particles.getVertices(), float)[: len(mass)]
        positions.append(np.stack([x[:, 0], -x[:, 2], x[:, 1]], -1))
    np.savez(out, positions=positions, milliseconds=milliseconds, cpu=cpu)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]))
