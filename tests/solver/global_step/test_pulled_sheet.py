"""A sheet drawn from under a stack of rigid bodies: friction of both of its sides is Coulomb's."""

from __future__ import annotations

import numpy as np
import pytest

import solver
from solver import Cloth, Collider, Pins, Rigid, Scene, Settings, Simulation
from solver.methods import potential
from tests.scenes.meshes import brick, rectangle

#: Friction [1], times [s], steps a second: a frame is one substep of *Draft*; gravity [m/s^2].
MU, RAMP, STARTS, FPS, G = 0.3, 0.1, 0.15, 240, 9.81


def pulled_stack(n, speed):
    """Four boxes of 1.6 kg on a strip of cotton, n points long, on a long table; its front row is led away from STARTS on,
    at a speed that it has after RAMP."""
    x, t = rectangle((round(0.375 * (n - 1)), n - 1), (0.3, 0.8))
    x = x - [0.15, 0.4, -0.0015]
    front = np.flatnonzero(x[:, 1] < x[:, 1].min() + 1e-6)

    def pose(time):
        time = max(time - STARTS, 0.0)
        way = speed * (time * time / (2 * RAMP) if time < RAMP else time - RAMP / 2)
        return x[front] - [0, way, 0]

    (v, u), (w, q) = brick((0.2, 0.2, 0.1)), brick((1.2, 4.0, 0.04))
    fabric = solver.load_material("cotton_poplin").changed(friction=MU)
    bodies = [Cloth("cloth", x, t, fabric, pins=Pins(front, targets=pose))]
    bodies += [Rigid(f"box {k}", v + [0, 0.1, 0.0539 + 0.1012 * k], u, density=400.0, friction=MU) for k in range(4)]
    scene = Scene(bodies, [Collider("table", w - [0, 0, 0.02], q, friction=MU)])
    return Simulation(scene, Settings.quality("draft", fps=FPS, substeps=1, threads=1)), front


def friction_of_the_table(n, speed, begin, end):
    """The mean force of the table on the sheet between two times [N], by the balance of momentum: what pulls its front row
    in each substep, less what sheet and boxes have gained; their weight [N]; and how much farther the lowest box has gone
    than the sheet below its centre [m]."""
    sim, front = pulled_stack(n, speed)
    pull, momentum = [], []
    for number, frame in enumerate(sim.frames(1, round(end * FPS) + 1)):
        cloth, box = frame.positions["cloth"], frame.positions["box 0"].mean(0)
        if not number:
            below = int(((cloth - box) ** 2).sum(1).argmin())
            start = float(box[1] - cloth[below, 1])
        if number < round(begin * FPS):
            continue
        model, state = sim.model, sim.state
        elastic, rigid = np.zeros_like(state.x), state.rigid
        potential.elastic(model, state, state.x, elastic)
        pull.append(-float(elastic[front, 1].sum()))
        sheet = slice(0, len(model.mass) - len(rigid.rows))
        momentum.append(float(model.mass[sheet] @ state.v[sheet, 1]) + float(rigid.mass @ rigid.velocity[:, 1]))
    weight = G * (float(model.mass[sheet].sum()) + float(rigid.mass.sum()))
    ahead = start - float(box[1] - cloth[below, 1])
    return float(np.mean(pull[1:])) + (momentum[-1] - momentum[0]) / (end - begin), weight, ahead


@pytest.mark.long
@pytest.mark.parametrize("n", [31, *(pytest.param(n, marks=pytest.mark.long) for n in (61, 91))])
def test_a_sheet_that_carries_a_stack_feels_coulombs_friction(n):
    """10 % of mu m g in the mean of two speeds: the stack swings on the stretch of the sheet, so that of eight runs that
    differ by rounding single ones gave 0.94 to 1.03. The stack does not overtake the sheet that moves it by friction: 5 mm
    for the swings (it lags by 10 to 31; it was 41 mm ahead where sweeps brought the sheet below it to rest on the table)."""
    speeds = (0.2, 0.21) if n == 31 else (0.2,)
    runs = [friction_of_the_table(n, speed, STARTS + 0.2, STARTS + 1.2) for speed in speeds]
    assert np.mean([friction / (MU * weight) for friction, weight, _ in runs]) == pytest.approx(1.0, abs=0.1)
    ahead = max(ahead for *_, ahead in runs)
    assert ahead < 0.005
