"""Numbers that are others at each frame, and numbers that are painted."""

import functools

import numpy as np
import pytest

from solver import Cloth, Collider, FrameInputs, Pins, Plane, Scene, Settings, Simulation, SoftBody
from solver.errors import MaterialError, SceneError
from solver.global_step import global_step, newton
from solver.scene import Map, Material
from tests.scenes.meshes import grid
from tests.scenes.plain_cloth import plain_cloth
from tests.validation.meshes import cube

ROWS, COLUMNS, SIZE = 16, 3, 0.02
TOP = np.arange(COLUMNS + 1)
MEMBRANE = "stvk_membrane."
FLOOR = np.array([[-1, -1, 0.9], [2, -1, 0.9], [2, 2, 0.9], [-1, 2, 0.9]])


def quick(**settings):
    return Settings.quality("draft", **settings)


def strip():
    """Hung by its first row; numbers of vertices run along the rows."""
    vertices = np.array([(c * SIZE, 0, -r * SIZE) for r in range(ROWS + 1) for c in range(COLUMNS + 1)])
    corner = np.arange(ROWS * (COLUMNS + 1)).reshape(ROWS, -1)[:, :-1].ravel()
    a, b, c, d = corner, corner + 1, corner + COLUMNS + 2, corner + COLUMNS + 1
    return vertices, np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])


def strains(young, maps=None, key=None, frames=28):
    """Return the strains of the rows of a strip that hangs at rest with a heavy last row; shear is a quarter of Young's
    modulus."""
    heavy = np.repeat(np.arange(ROWS + 1) == ROWS, COLUMNS + 1).astype(float)
    material = Material.fabric(0.2, young, young / 4, damping=0.01)
    maps = {"density": Map(heavy, 1, 40), **(maps or {})}
    body = plain_cloth("strip", *strip(), material, pins=Pins(TOP), maps=maps)
    simulation = Simulation(Scene([body]), quick(damping=6.0))
    for frame in range(frames):
        found = simulation.advance_frame(FrameInputs(values={"strip": key(frame)} if key else {}))
    z = found.positions["strip"][:, 2].reshape(ROWS + 1, -1)[:, 1:-1].mean(1)
    return -np.diff(z) / SIZE - 1


@functools.cache
def uniform(young):
    return strains(young)


def test_a_painted_strip_strains_as_uniform_ones_at_its_ends_and_steadily_between():
    """1 % of the strain: that of the next row, which is of another stiffness, reaches in by Poisson's ratio."""
    ramp = np.clip((np.arange(ROWS + 1) - 4) / (ROWS - 8), 0, 1).repeat(COLUMNS + 1)
    painted = strains(100, {"stretch": Map(ramp, 1, 10), "shear": Map(ramp, 1, 10)})
    soft, stiff = uniform(100), uniform(1000)
    assert painted[:2] == pytest.approx(soft[:2], rel=0.01)
    assert painted[-3:-1] == pytest.approx(stiff[-3:-1], rel=0.01)
    assert (np.diff(painted[1:-1]) < 0).all()


def test_a_map_of_the_stretch_alone_leaves_the_shear(monkeypatch):
    """1e-4 of the strain, where steps are solved as far as they go: both ways to the same material, rounded differently."""
    monkeypatch.setattr(global_step, "TARGET", 0.0)
    monkeypatch.setattr(newton, "LEFT", 1e-8)
    everywhere = np.full((ROWS + 1) * (COLUMNS + 1), 0.5)
    material = Material.fabric(0.2, 550, 25, damping=0.01)
    painted = plain_cloth(
        "strip",
        *strip(),
        Material.fabric(0.2, 100, 25, damping=0.01),
        pins=Pins([0]),
        maps={"stretch": Map(everywhere, 1, 10)},
    )
    found = []
    for body in (painted, plain_cloth("strip", *strip(), material, pins=Pins([0]))):
        simulation = Simulation(Scene([body]), quick())
        *_, frame = simulation.frames(1, 6)
        found.append(frame.positions["strip"])
    assert np.abs(found[0] - found[1]).max() < 1e-4 * SIZE * ROWS


def test_stiffness_keyed_from_1_to_10_ends_as_constant_10():
    """1 % of the strain: the residual motion."""

    def key(frame):
        young = 100 * (1 + 9 * min(frame / 12, 1))
        return {f"{MEMBRANE}young_warp": young, f"{MEMBRANE}young_weft": young, f"{MEMBRANE}shear": young / 4}

    assert strains(100, key=key) == pytest.approx(uniform(1000), rel=0.01, abs=1e-5)


@pytest.mark.parametrize(
    ("given", "own"),
    [
        ({f"{MEMBRANE}young_warp": 300.0, "density": 0.4}, {"density": 0.4, "young": (300.0, 200.0)}),
        ({"pin_weight": 0.5, "pin_frequency": 3.0, "pin_damping": 0.02}, {"pins": Pins(TOP, 0.5, None, 3.0, 0.02)}),
    ],
)
def test_values_of_every_frame_are_as_those_of_the_scene(given, own):
    """Bit for bit, from the first frame on: positions do not depend on what the numbers were before."""
    simulations = []
    for more in ({}, own):
        material = Material.fabric(more.get("density", 0.2), more.get("young", (200.0, 200.0)), 50)
        body = plain_cloth("strip", *strip(), material, pins=more.get("pins", Pins(TOP)))
        simulations.append(Simulation(Scene([body]), quick(integrator="bdf1")))
    for _ in range(3):
        keyed = simulations[0].advance_frame(FrameInputs(values={"strip": given})).positions["strip"]
        assert np.array_equal(keyed, simulations[1].advance_frame().positions["strip"])


def flag(**pins):
    return Simulation(Scene([plain_cloth("flag", *_flag(), Material.fabric(0.2, 500, 50), pins=Pins(np.arange(9), **pins))]))


def _flag():
    vertices, triangles = grid(8, 0.5)
    return vertices, triangles


def weight(value):
    return FrameInputs(values={"flag": {"pin_weight": value}})


def test_released_pins_fall_freely():
    """1 % of the way, by the mean of the masses: BDF2 begins with a substep of backward Euler, 3/4 of a substep ahead."""
    simulation = flag()
    for _ in range(4):
        simulation.advance_frame()
    state, model = simulation.state, simulation.model
    share = model.mass / model.mass.sum()
    x, v = share @ state.x[: len(share), :3], share @ state.v[: len(share)]
    for frames in range(1, 6):
        simulation.advance_frame(weight(0.0))
        t = frames / 24
        fallen = (share @ state.x[: len(share), :3] - x)[2]
        assert fallen == pytest.approx(v[2] * t - 9.81 / 2 * t**2, rel=0.01)


def test_pins_that_are_caught_come_to_their_targets_in_a_frame():
    """Exactly there, and no substep goes further than its share of the way."""
    simulation = flag()
    for value in (0.0, 0.0, 0.0):
        simulation.advance_frame(weight(value))
    gone = np.abs(simulation.state.x[:9, 2] - simulation.model.x_start[:9, 2]).max()
    frame = simulation.advance_frame(weight(1.0))
    assert np.array_equal(frame.positions["flag"][:9], np.float32(_flag()[0][:9]))
    speed = np.abs(simulation.state.v[:9, 2]).max()
    assert speed == pytest.approx(24 * gone, rel=1e-3)


def test_a_simulation_restored_between_keys_goes_on_with_the_same_bits():
    """Pins that are released, soft and caught, stiffness, friction, a collider that goes, the air and the speed of time."""

    def world():
        body = Cloth("flag", *_flag(), Material.fabric(0.2, 500, 50), pins=Pins(np.arange(9)))
        faces = [[0, 1, 2], [0, 2, 3]]
        return Simulation(Scene([body], [Collider("floor", FLOOR - [0, 0, 1.2], faces), Plane("deep", (0, 0, -1))]), quick())

    def at(frame):
        values = {
            "flag": {
                "pin_weight": [1, 0.5, 0, 0, 0, 0, 0.5, 1, 1][frame],
                f"{MEMBRANE}young_warp": 500 + 100 * frame,
                "friction": 0.1 * frame,
            },
            "floor": {"enabled": frame < 5, "thickness": 0.001 * frame},
        }
        return FrameInputs(values=values, speed=1 - 0.1 * frame, air_density=0.1 * frame, wind=(1, 0, 0))

    straight = world()
    snapshots, frames = [], []
    for frame in range(9):
        frames.append(straight.advance_frame(at(frame)).positions["flag"])
        snapshots.append(straight.snapshot())
    for begin in (1, 4, 6):
        again = world()
        again.restore(snapshots[begin])
        for frame in range(begin + 1, 9):
            assert np.array_equal(again.advance_frame(at(frame)).positions["flag"], frames[frame])


def test_time_goes_at_its_speed():
    """0.5 % of the way of a free fall: the substep of backward Euler that it begins with."""
    simulation = Simulation(Scene([plain_cloth("flag", *_flag(), Material.fabric(0.2, 500, 50))]))
    elapsed = 0.0
    for speed in (1, 0.5, 0.25, 0.1, 0.1, 2, 2):
        frame = simulation.advance_frame(FrameInputs(speed=speed))
        elapsed += speed / 24
        assert frame.positions["flag"][:, 2].mean() == pytest.approx(-9.81 / 2 * elapsed**2, rel=0.005)


def test_without_values_there_is_nothing_more_in_a_snapshot():
    simulation = flag()
    simulation.advance_frame(FrameInputs(values={"flag": {}}))
    assert "numbers" not in simulation.snapshot()


@pytest.mark.parametrize(
    ("values", "error", "told"),
    [
        ({"sail": {"friction": 1}}, SceneError, "'sail' is no body or collider of the scene; wanted one of flag"),
        (
            {"flag": {"self_contact": True}},
            SceneError,
            "flag: 'self_contact' cannot change from frame to frame; wanted one of",
        ),
        ({"flag": {"density": -1}}, MaterialError, "density is -1 kg/m^2"),
        ({"flag": {"pin_weight": 2}}, SceneError, "the pin of vertex 0 has weight 2; wanted 0 to 1"),
        ({"flag": {f"{MEMBRANE}shear": "much"}}, MaterialError, "stvk_membrane.shear is 'much'"),
    ],
)
def test_values_that_cannot_be_are_refused_and_change_nothing(values, error, told):
    simulation = flag()
    with pytest.raises(error, match=told.replace("^", r"\^")):
        simulation.advance_frame(FrameInputs(values=values))
    assert simulation.state.frame == 1 and "numbers" not in simulation.snapshot()


def test_a_map_that_does_not_fit_is_refused():
    vertices, triangles = _flag()
    with pytest.raises(SceneError, match=r"map 'stretch' is of shape \(3,\)"):
        plain_cloth("flag", vertices, triangles, Material.fabric(0.2, 500, 50), maps={"stretch": Map([0, 1, 1], 1, 10)})
    with pytest.raises(SceneError, match="map 'colour' is unknown; wanted one of stretch"):
        plain_cloth("flag", vertices, triangles, Material.fabric(0.2, 500, 50), maps={"colour": Map([0], 1, 10)})


def test_density_painted_on_a_solid_is_its_mass():
    """1e-12 of the mass: sums in another order."""
    x, tetrahedra = cube(2, 0.3)
    weights = x[:, 0] / 0.3
    masses = []
    for maps in ({}, {"density": Map(weights, 1, 3)}):
        body = SoftBody("jelly", x, tetrahedra, Material.solid(1000, 1e4, 0.4), maps=maps)
        masses.append(Simulation(Scene([body]), quick()).model.mass.sum())
    assert masses[1] == pytest.approx(2 * masses[0], rel=1e-12)


RAMP = np.clip((np.arange(ROWS + 1) - 4) / (ROWS - 8), 0, 1).repeat(COLUMNS + 1)


def painted_strip(weights, **more):
    maps = {"stretch": Map(weights, 1, 10), "shear": Map(weights, 1, 10), "bending": Map(weights, 1, 10)}
    material = Material.fabric(0.2, 200, 50)
    return plain_cloth("strip", *strip(), material, pins=Pins(TOP), maps={**maps, **more})


def repainted(weights, *names):
    return FrameInputs(values={"strip": {f"map.{name}": weights for name in names}})


@pytest.mark.parametrize("name", ["density", "damping", "friction", "pin_stiffness"])
def test_maps_that_are_others_at_every_frame_are_as_those_of_the_scene(name):
    """Bit for bit, from the first frame on: maps painted before have no effect. Of masses 1e-6: the difference to the
    first map is added to those that were there."""
    flat = np.zeros_like(RAMP)
    bodies = [painted_strip(weights, **{name: Map(weights, 0.5, 2)}) for weights in (flat, RAMP)]
    for body in bodies:
        body.pins = Pins(TOP, np.full(len(TOP), 0.5))
    simulations = [Simulation(Scene([body], [Plane("floor", (0, 0, -0.3))]), quick(integrator="bdf1")) for body in bodies]
    for _ in range(3):
        inputs = repainted(RAMP, "stretch", "shear", "bending", name)
        changed, own = simulations[0].advance_frame(inputs), simulations[1].advance_frame()
        assert np.allclose(changed.positions["strip"], own.positions["strip"], rtol=0, atol=1e-6 if name == "density" else 0)
    assert np.allclose(simulations[0].model.mass, simulations[1].model.mass, rtol=1e-12)
    assert np.array_equal(simulations[0].model.vertex_friction, simulations[1].model.vertex_friction)


def test_a_strip_that_stiffens_as_it_is_painted_ends_as_one_that_is_stiff():
    """1 % of the strain: the residual motion. The stiff half moves down the strip until all of it is stiff."""
    everywhere = np.ones_like(RAMP)

    def key(frame):
        share = np.clip(frame / 12 * (ROWS + 8) - np.arange(ROWS + 1), 0, 1).repeat(COLUMNS + 1)
        return {"map.stretch": share, "map.shear": share}

    maps = {name: Map(0 * everywhere, 1, 10) for name in ("stretch", "shear")}
    assert strains(100, maps, key) == pytest.approx(uniform(1000), rel=0.01, abs=1e-5)


def test_maps_that_begin_alike_and_go_apart_are_told_and_name_their_sources():
    flat = np.zeros_like(RAMP)
    simulation = Simulation(Scene([painted_strip(flat)]), quick())
    with pytest.raises(SceneError, match="the maps 'stretch' and 'shear' are alike"):
        simulation.advance_frame(repainted(RAMP, "stretch"))
    maps = {"stretch": Map(flat, 1, 10, "a"), "shear": Map(flat, 1, 10, "b")}
    apart = Simulation(Scene([painted_strip(flat, **maps)]), quick(integrator="bdf1"))
    own = {"stretch": Map(RAMP, 1, 10, "a"), "shear": Map(flat, 1, 10, "b")}
    there = Simulation(Scene([painted_strip(flat, **own)]), quick(integrator="bdf1"))
    changed = apart.advance_frame(repainted(RAMP, "stretch"))
    assert np.array_equal(changed.positions["strip"], there.advance_frame().positions["strip"])
    with pytest.raises(SceneError, match="has no map 'density'"):
        apart.advance_frame(repainted(RAMP, "density"))
    with pytest.raises(SceneError, match="map 'shear'"):
        apart.advance_frame(repainted(2 * RAMP, "shear"))


def test_a_checkpoint_between_two_paintings_goes_on_with_the_same_bits():
    simulations = [Simulation(Scene([painted_strip(0 * RAMP)]), quick()) for _ in range(2)]
    names = "stretch", "shear", "bending"
    for k in range(1, 4):
        simulations[0].advance_frame(repainted(RAMP * k / 6, *names))
    simulations[1].restore(simulations[0].snapshot())
    frames = [simulation.advance_frame(repainted(RAMP, *names)).positions["strip"] for simulation in simulations]
    assert np.array_equal(*frames)
