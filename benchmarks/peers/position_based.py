"""PositionBasedDynamics (C++, coloured Gauss-Seidel, OpenMP): distance constraints by XPBD, isometric bending.

Its gravity is fixed to -y, so the scene is turned.
"""

import json
import sys
import time

import numpy as np
import pypbd as pbd

XPBD_DISTANCE, XPBD_BENDING = 4, 3


def turned(points):
    return np.stack([points[:, 0], points[:, 2], -points[:, 1]], -1)


def main(source, out, settings):
    scene = np.load(source)
    substeps, iterations = settings["substeps"], settings["iterations"]
    pbd.Logger.addFileSink(pbd.LogLevel.ERR, "pbd.log")
    simulation = pbd.Simulation.getCurrent()
    simulation.initDefault()
    model, step = simulation.getModel(), simulation.getTimeStep()
    step.setValueUInt(pbd.TimeStepController.NUM_SUB_STEPS, substeps)
    step.setValueUInt(pbd.TimeStepController.MAX_ITERATIONS, iterations)
    step.setValueUInt(pbd.TimeStepController.MAX_ITERATIONS_V, 0)
    pbd.TimeManager.getCurrent().setTimeStepSize(float(scene["step"]))
    triangles = scene["triangles"].ravel().tolist()
    mesh = model.addTriangleModel(list(turned(scene["rest"])), triangles, testMesh=False)
    k = float(scene["spring"])
    model.addClothConstraints(mesh, XPBD_DISTANCE, k, k, k, k, 0.3, 0.3, False, False)
    model.addBendingConstraints(mesh, XPBD_BENDING, float(scene["bending"]))
    particles = model.getParticles()
    mass = scene["mass"].copy()
    mass[scene["pins"]] = 0.0
    start = turned(scene["start"])
    for i, own in enumerate(mass):
        particles.setMass(i, float(own))
        particles.setPosition(i, start[i])
    positions, milliseconds, cpu = [], [], []
    for _ in range(int(scene["frames"])):
        began, began_cpu = time.perf_counter(), time.process_time()
        step.step(model)
        milliseconds.append(1e3 * (time.perf_counter() - began))
        cpu.append(1e3 * (time.process_time() - began_cpu))
        x = np.array(particles.getVertices(), float)[: len(mass)]
        positions.append(np.stack([x[:, 0], -x[:, 2], x[:, 1]], -1).astype(np.float32))
    np.savez(out, positions=positions, milliseconds=milliseconds, cpu=cpu)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]))
