"""Force fields against the known motion of a point in them. `tests/gpbd_addon/read` compares with Blender."""

import numpy as np
import pytest

import solver
from solver import Cloth, Field, FrameInputs, Material, Pins, Response, Scene, Settings, Simulation

FPS, HALF = 24, 1e-3
X = HALF * np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], float)
FABRIC = Material.fabric(0.2, 100, 30, name="linen")


def patch(at=(0, 0, 0), name="patch", velocity=(0, 0, 0), turn=None, **more):
    """A square of 2 mm across the z axis, as good as a point."""
    x = X if turn is None else X @ np.asarray(turn, float).T
    velocities = np.tile(np.asarray(velocity, float), (4, 1))
    return Cloth(name, x + at, [[0, 1, 2], [0, 2, 3]], FABRIC, velocities=velocities, self_contact=False, **more)


def simulation(bodies, fields=(), **settings):
    given = {"threads": 1, "fps": FPS, "substeps": 8, "global_iterations": 0} | settings
    return Simulation(Scene(bodies, gravity=(0, 0, 0), fields=fields), Settings(**given))


def velocity(sim, row=0):
    return sim.state.v[4 * row : 4 * row + 4].astype(float).mean(0)


def swing_error(substeps, integrator="bdf2"):
    """Return the error of the position of a patch after half a second in a spring of 4 rad/s that pulls it from 1 m [m]."""
    sim = simulation([patch((1, 0, 0))], [Field("spring", "harmonic", 16.0)], substeps=substeps, integrator=integrator)
    for _ in range(12):
        frame = sim.advance_frame()
    return abs(frame.positions["patch"][:, 0].mean() - np.cos(2.0))


def test_a_swing_in_a_harmonic_field_is_of_second_order():
    """Half the substep leaves a quarter of the error; measured 1 / 3.9. The result in single precision has 1e-7 m."""
    errors = [swing_error(substeps) for substeps in (2, 4)]
    assert errors[0] / errors[1] > 3.3 and errors[1] < 2e-3


@pytest.mark.parametrize("integrator", ["bdf1", "bdf2"])
def test_a_magnetic_field_turns_velocities_at_its_rate(integrator):
    """2 rad/s about z for half a second. BDF2 keeps the speed to 1e-4; backward Euler takes h w^2 / 2 of it a second, 0.5 %
    here, and turns as far to 1 %."""
    sim = simulation(
        [patch((0.5, 0, 0), velocity=(1, 0, 0))], [Field("coil", "magnetic", 2.0, shape="plane")], integrator=integrator
    )
    for _ in range(12):
        sim.advance_frame()
    v, rel = velocity(sim), 2e-4 if integrator == "bdf2" else 1e-2
    assert np.linalg.norm(v) == pytest.approx(1.0, rel=rel)
    assert np.arctan2(-v[1], v[0]) == pytest.approx(1.0, rel=rel)


def test_drag_of_any_strength_stops_and_throws_nothing_back():
    """By Blender's limit of 2 a drag is weak; what falls at a rate without limit, the flow of a field, is implicit."""
    sim = simulation([patch(velocity=(1, 2, 3))], [Field("glue", "force", 0.0, flow=1e5)])
    for _ in range(3):
        sim.advance_frame()
        assert np.abs(velocity(sim)).max() < 0.05


def test_a_field_that_moves_and_grows_is_where_it_is_in_each_substep():
    """A wind from nothing to 24 m/s^2 within a frame: half of 24 m/s^2 on average, to the share of a substep, 1 / 8. Resumed
    at the frame's start, to the same bits."""

    def fan(strength):
        return [Field("fan", "wind", strength)]

    def run(resumed):
        sim = simulation([patch()], fan(0.0))
        sim.advance_frame(FrameInputs(fields=fan(0.0)))
        if resumed:
            kept, sim = sim.snapshot(), simulation([patch()], fan(5.0))
            sim.restore(kept)
        sim.advance_frame(FrameInputs(fields=fan(24.0)))
        return sim.state.v

    v = run(resumed=False)
    assert v[0, 2] == pytest.approx(0.5, rel=1 / 8) and v[0, 2] != pytest.approx(1.0, rel=0.3)
    assert np.array_equal(v, run(resumed=True))


def test_fields_may_be_a_function_of_time():
    sim = simulation([patch()], lambda time: [Field("fan", "wind", 24.0 * time)])
    sim.advance_frame()
    sim.advance_frame()
    assert velocity(sim)[2] == pytest.approx(12.0 / 12**2, rel=0.1)  # the integral of 24 t over 2 frames


def test_what_acts_along_the_normal_leaves_the_rest():
    """A sheet at 45 degrees to a wind moves along its normal, by cos^2 and sin cos of it. 1e-3: what its elements do."""
    c = np.sqrt(0.5)
    turn = [[c, 0, c], [0, 1, 0], [-c, 0, c]]
    sim = simulation([patch(turn=turn)], [Field("fan", "wind", 2.4, along_normal=1.0)])
    sim.advance_frame()
    assert velocity(sim) * FPS == pytest.approx([1.2, 0, 1.2], abs=2e-3)


def test_noise_is_the_same_for_a_seed_and_a_frame_and_has_either_sign():
    """Blender's draw: of many, as many push as pull, by at most the noise."""
    spots = [patch((0.1 * k, 0, 0), f"patch {k}", touches=[]) for k in range(40)]

    def gusts(seed, substeps=2):
        sim = simulation(spots, [Field("gusts", "wind", 0.0, noise=1.0, seed=seed)], substeps=substeps)
        sim.advance_frame()
        return sim.state.v[:160, 2].copy() * FPS

    one = gusts(1)
    assert np.array_equal(one, gusts(1)) and not np.array_equal(one, gusts(2))
    assert 0.1 < np.abs(one).mean() < 0.6 and np.abs(one).max() < 1.05
    assert 0.25 < (one > 0).mean() < 0.75


def test_each_body_has_its_own_gravity_air_and_weights():
    """Free fall of 1, 0 and -0.5 g, and one that air stops; to 1e-5 m/s, and 2 % of its end of 1.3 m/s."""
    bodies = [
        patch((k, 0, 0), f"patch {k}", response=response)
        for k, response in enumerate(
            [None, Response(gravity=0.0), Response(gravity=-0.5), Response(air_density=1.2, drag=2.0, lift=0.0)]
        )
    ]
    scene = Scene(bodies, gravity=(0, 0, -9.81))
    sim = Simulation(scene, Settings(threads=1, substeps=8, fps=FPS))
    for _ in range(12):
        report = sim.advance_frame().report
    falls = [velocity(sim, k)[2] for k in range(4)]
    assert falls[:3] == pytest.approx([-4.905, 0, 2.4525], abs=1e-5)
    assert falls[3] == pytest.approx(-np.sqrt(2 * 0.2 * 9.81 / (1.2 * 2.0)), rel=0.02)
    mass, height = 0.2 * 4e-6, [sim.state.x[4 * k : 4 * k + 4, 2].mean() for k in range(4)]
    wanted = mass * 9.81 * (height[0] - 0.5 * height[2] + height[3])
    assert report.gravity_energy == pytest.approx(wanted, rel=1e-4)


def test_a_rigid_body_is_pushed_at_its_centre():
    """To 1e-6, in double precision."""
    from tests.scenes.meshes import brick

    x, t = brick((0.2, 0.2, 0.1), (0, 0, 0))
    free = solver.Rigid("box", x, t)
    sim = Simulation(
        Scene([free], gravity=(0, 0, 0), fields=[Field("fan", "wind", 2.4, axis=(1, 0, 0))]), Settings(threads=1, fps=FPS)
    )
    sim.advance_frame()
    assert sim.state.rigid.velocity[0] == pytest.approx([0.1, 0, 0], rel=1e-6)


def test_a_quasi_static_sheet_hangs_in_a_field_as_in_gravity():
    """A wind of 9.81 m/s^2 along -z, and gravity: to a micrometre of the 3 mm that it is stretched."""
    x = np.array([(0, 0, 0), (0.1, 0, 0), (0, 0, -1), (0.1, 0, -1)], float)
    found = []
    for gravity, fields in (((0, 0, -9.81), ()), ((0, 0, 0), [Field("fan", "wind", 9.81, axis=(0, 0, -1))])):
        body = Cloth("strip", x, [[0, 1, 3], [0, 3, 2]], FABRIC, pins=Pins([0, 1]), self_contact=False)
        settings = Settings(
            threads=1, method="newton", quasi_static=True, substeps=2, iterations=10, global_iterations=0,
            integrator="bdf1",
        )  # fmt: skip
        sim = Simulation(Scene([body], gravity=gravity, fields=fields), settings)
        found.append(sim.advance_frame().positions["strip"])
    assert np.abs(found[0] - found[1]).max() < 1e-6 and np.abs(found[0] - x).max() > 1e-4
