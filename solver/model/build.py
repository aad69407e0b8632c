"""Scene -> Model: masses, rest data, elements sorted by colour and gathered into packs."""

from __future__ import annotations

import importlib
from dataclasses import replace
from types import ModuleType

import numpy as np

from ..device.cpu import LANES
from ..energies import attachment
from ..errors import SceneError
from ..scene import Cloth, Pins, Rigid, Scene, Settings, SoftBody, catalog
from ..topology.axes import warp_and_weft
from ..topology.clusters import cluster_elements
from ..topology.edges import pair_keys, unique_edges
from ..topology.embedding import embed
from ..topology.faces import boundary_faces
from ..topology.hinges import find_hinges
from ..topology.patches import find_patches
from ..topology.surface_checks import check_tetrahedra, check_triangles, tetrahedron_volumes
from ..topology.tethers import find_tethers
from .coupled import embed_surfaces, rigid_shape, rigid_velocities
from .model import PADDING, BodyPart, ElementBatch, Model
from .ties import check_held, tie_groups

Array = np.ndarray

#: Below this h^2 k / m (a bound, some five times too high) sweeping every second iteration changes nothing: a clamped strip
#: hung 0.02 mm lower at 6.5, and 0.1 mm of 115 at 33.
SOFT = 10.0


def build(scene: Scene, settings: Settings) -> Model:
    """The arrays of a scene.

    Raises: TopologyError, SceneError, MaterialError, each naming the body.
    """
    h = 1.0 / (settings.fps * settings.substeps)
    origin = np.mean([body.vertices.mean(0) for body in scene.bodies], axis=0)
    warnings: list[str] = []
    parts: list[BodyPart] = []
    groups: list[tuple] = []
    masses, edges, surface, tetrahedra, tetrahedron_body, volumes = [], [], [], [], [], []
    distances, frictions, thicknesses, rigid = [], [], [], []
    start = 0
    for number, body in enumerate(scene.bodies):
        stop = start + len(body.vertices)
        rest = body.vertices if body.rest_vertices is None else body.rest_vertices
        if isinstance(body, Cloth):
            mass, elements, skin = _cloth(body, rest, groups, start)
            volumes.append(0.0)
        elif isinstance(body, Rigid):
            rigid.append(rigid_shape(body, start, origin))
            mass, elements, skin = np.full(len(rest), rigid[-1].mass / len(rest)), np.zeros((0, 3), np.int32), body.triangles
            volumes.append(0.0)
        else:
            mass, elements, skin = _soft_body(body, rest, groups, start)
            tetrahedra.append(body.tetrahedra + start)
            tetrahedron_body.append(np.full(len(body.tetrahedra), number, np.int32))
            volumes.append(tetrahedron_volumes(rest, body.tetrahedra).sum())
        if not isinstance(body, Rigid):
            mass = _give_loose_vertices_mass(body, mass, elements, warnings)
        edge = unique_edges(elements)
        lengths = np.linalg.norm(rest[edge[:, 0]] - rest[edge[:, 1]], axis=1)
        edges.append((edge + start, lengths))
        surface.append(skin + start)
        masses.append(mass)
        distances.append(np.full(len(mass), _distance(body, lengths)))
        thicknesses.append(_thickness(body, lengths))
        frictions.append(np.full(len(mass), _friction(body)))
        parts.append(_part(body, start, stop))
        start = stop

    mass = np.concatenate(masses)
    x = np.concatenate([body.vertices for body in scene.bodies]) - origin
    fixed = np.zeros(len(mass), bool)
    for part in parts:
        fixed[part.pinned] = True
    for shape in rigid:
        fixed[shape.start : shape.stop] = True
    _attachments(parts, mass, x, groups)
    embedded = embed_surfaces(parts, len(mass))
    groups += tie_groups(scene, parts, x, surface)
    given = [None if isinstance(body, Rigid) else body.velocities for body in scene.bodies]
    v = np.concatenate([np.zeros_like(b.vertices) if u is None else u for b, u in zip(scene.bodies, given, strict=True)])
    for shape in rigid:
        rows = slice(shape.start, shape.stop)
        v[rows] = rigid_velocities(shape, x[rows])
    if len(embedded.rows):
        x, v = (np.concatenate([values, np.zeros((len(embedded.rows), 3))]) for values in (x, v))
        embedded.place(x)
        mass = np.concatenate([mass, np.ones(len(embedded.rows))])  # of no use: no force moves these rows
        fixed = np.concatenate([fixed, np.ones(len(embedded.rows), bool)])
        for values in (distances, frictions):
            values += [np.full(len(p.surface_rows), values[k][0]) for k, p in enumerate(parts) if p.surface_rows is not None]
    if settings.quasi_static:
        check_held(scene)
        if scene.air_density > 0:
            warnings.append("The air does not act in a quasi-static solve, which has no velocities. Set its density to 0.")
        # Damping resists motion; at rest there is none.
        groups = [(name, {**v, "damping": 0.0} if "damping" in v else v, *others) for name, v, *others in groups]
    return Model(
        scene=scene,
        settings=settings,
        h=h,
        origin=origin,
        parts=parts,
        x_start=x,
        v_start=v,
        mass=mass,
        fixed=fixed,
        batches=_batches(groups, h, np.dtype(settings.dtype), h * h / mass),
        edges=np.concatenate([e for e, _ in edges]).astype(np.int32),
        edge_lengths=np.concatenate([lengths for _, lengths in edges]),
        surface=np.concatenate(surface).astype(np.int32),
        tetrahedra=np.concatenate([np.zeros((0, 4), np.int32), *tetrahedra]).astype(np.int32),
        tetrahedron_body=np.concatenate([np.zeros(0, np.int32), *tetrahedron_body]),
        body_volumes=np.array(volumes),
        vertex_distance=np.concatenate(distances),
        vertex_friction=np.concatenate(frictions),
        body_thickness=np.array(thicknesses),
        rigid=rigid,
        embedded=embedded,
        warnings=warnings,
    )


def _cloth(body: Cloth, rest: Array, groups: list, start: int) -> tuple[Array, Array, Array]:
    """Masses [kg] of a cloth's vertices, its elements, its surface; appends its element groups."""
    check_triangles(body.name, rest, body.triangles)
    per_element = {
        "triangle": body.triangles,
        "patch": find_patches(body.name, body.triangles),
        "edge": unique_edges(body.triangles),
    }
    fractions = {}
    if _has(body, "hinge"):
        per_element["hinge"] = find_hinges(body.name, body.triangles)
    if _has(body, "tether"):
        pinned = np.zeros(0, int) if body.pins is None else body.pins.indices[body.pins.weight >= 1.0]
        per_element["tether"], fractions["tether"] = find_tethers(body.name, rest, body.triangles, pinned)
    axes = warp_and_weft(body.name, rest, body.triangles, body.uv)
    _add_groups(groups, body, body.triangles, rest, per_element, {"triangle": axes, "patch": axes}, fractions, start)
    corners = rest[body.triangles]
    area = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    return _lumped(body, area, body.triangles), body.triangles, body.triangles


def _has(body: Cloth | SoftBody, noun: str) -> bool:
    materials = [body.material, *(region.material for region in body.regions)]
    return any(catalog.energies()[name].element == noun for material in materials for name in material.energies)


def _soft_body(body: SoftBody, rest: Array, groups: list, start: int) -> tuple[Array, Array, Array]:
    """Masses [kg] of a soft body's vertices, its elements, its skin; appends its element groups."""
    check_tetrahedra(body.name, rest, body.tetrahedra)
    fraction = np.ones(len(body.tetrahedra)) if body.volume_fraction is None else body.volume_fraction
    per_element = {"tetrahedron": body.tetrahedra, "edge": unique_edges(body.tetrahedra)}
    _add_groups(groups, body, body.tetrahedra, rest, per_element, {}, {"tetrahedron": fraction}, start)
    volume = tetrahedron_volumes(rest, body.tetrahedra) * fraction
    return _lumped(body, volume, body.tetrahedra), body.tetrahedra, boundary_faces(body.tetrahedra)[0]


def _lumped(body: Cloth | SoftBody, size: Array, elements: Array) -> Array:
    """Each element's mass in equal parts at its corners [kg], (n,)."""
    corners = elements.shape[1]
    density = np.full(len(elements), body.material.density)
    for region in body.regions:
        density[region.elements] = region.material.density
    share = np.repeat(density * size / corners, corners)
    return np.bincount(elements.ravel(), share, len(body.vertices))


def _give_loose_vertices_mass(body: Cloth | SoftBody, mass: Array, elements: Array, warnings: list[str]) -> Array:
    loose = np.ones(len(mass), bool)
    loose[elements.ravel()] = False
    if loose.any():
        warnings.append(
            f"{body.name}: {loose.sum()} vertices belong to no face (first: vertex {np.flatnonzero(loose)[0]}); "
            "each falls freely with the mean mass of the others. Delete or pin them if that is not meant."
        )
        mass = np.where(loose, mass[~loose].mean(), mass)
    return mass


def _friction(body: Cloth | SoftBody | Rigid) -> float:
    if isinstance(body, Rigid):
        return body.friction
    return body.material.friction if body.friction is None else body.friction


def _thickness(body: Cloth | SoftBody | Rigid, lengths: Array) -> float:
    """Distance kept between bodies, and of a body from itself [m].

    Automatic: a quarter of the median edge, up to 5 mm where that is more than the material's thickness.
    """
    if body.thickness is not None:
        return body.thickness
    return max(body.material.thickness, min(0.25 * float(np.median(lengths)), 0.005))


def _distance(body: Cloth | SoftBody | Rigid, lengths: Array) -> float:
    """Distance kept from colliders [m].

    Automatic: a tenth of the median edge, so that the facets of what lies below stay covered, from the material's
    thickness up to 5 mm.
    """
    if body.thickness is not None:
        return body.thickness
    return max(body.material.thickness, min(0.1 * float(np.median(lengths)), 0.005))


def _part(body: Cloth | SoftBody | Rigid, start: int, stop: int) -> BodyPart:
    pins = body.pins if body.pins is not None else Pins(np.zeros(0, int), np.zeros(0))
    exact = pins.weight >= 1.0
    soft = (pins.weight > 0.0) & ~exact
    part = BodyPart(
        body,
        start,
        stop,
        pinned=pins.indices[exact] + start,
        pinned_rows=np.flatnonzero(exact),
        attached=pins.indices[soft] + start,
        attached_rows=np.flatnonzero(soft),
        attached_weights=pins.weight[soft],
    )
    if isinstance(body, SoftBody) and body.surface is not None:
        owner, weights = embed(body.surface, body.vertices, body.tetrahedra)
        part.surface_corners = body.tetrahedra[owner]
        part.surface_weights = weights
    return part


def _add_groups(
    groups: list, body, own: Array, rest: Array, per_element: dict, axes: dict, fractions: dict, start: int
) -> None:
    """Appends (energy name, values, x, elements, first vertex, axes, fraction) for each energy of each material of the body.

    own: the body's triangles or tetrahedra, which regions number.
    """
    region_of = np.zeros(len(own), np.int32)  # 0: the body's own material
    for number, region in enumerate(body.regions, 1):
        region_of[region.elements] = number
    for number, material in enumerate([body.material, *(region.material for region in body.regions)]):
        for name, values in material.energies.items():
            noun = catalog.energies()[name].element
            if noun not in per_element:
                raise SceneError(
                    f"{body.name}: the energy '{name}' of material '{material.name}' acts on a {noun}, which a {body.kind} "
                    f"does not have; wanted energies of {' or '.join(per_element)}. Choose another material."
                )
            elements = per_element[noun]
            fraction = fractions.get(noun, np.ones(len(elements)))
            mine = np.flatnonzero(_region_of(noun, elements, own, region_of) == number)
            if len(mine):
                along = None if axes.get(noun) is None else axes[noun][mine]
                groups.append((name, values, rest, elements[mine], start, along, fraction[mine]))


def _region_of(noun: str, elements: Array, own: Array, region_of: Array) -> Array:
    """Region of each element: its own; of an edge, the highest of the triangles or tetrahedra that it belongs to."""
    if noun in ("triangle", "patch", "tetrahedron"):
        return region_of
    regions = np.zeros(len(elements), np.int32)
    if noun == "tether":  # it spans the sheet
        return regions
    keys = pair_keys(elements[:, 0], elements[:, 1])
    for number in range(1, int(region_of.max(initial=0)) + 1):
        edges = unique_edges(own[region_of == number])
        regions[np.isin(keys, pair_keys(edges[:, 0], edges[:, 1]))] = number
    return regions


def _attachments(parts: list[BodyPart], mass: Array, x: Array, groups: list) -> None:
    """One group for the pins of all bodies, so that their targets are one array."""
    attached = np.concatenate([part.attached for part in parts])
    if len(attached):
        weight = np.concatenate([part.attached_weights for part in parts])
        k = attachment.stiffness(mass[attached], weight)
        groups.append((attachment.NAME, {}, x, attached[:, None], 0, None, k))


def _batches(groups: list, h: float, dtype: np.dtype, w: Array) -> list[ElementBatch]:
    """One batch an energy, over all bodies; energies in the order of a sweep, bodies in theirs."""
    names = sorted({group[0] for group in groups}, key=catalog.sweep_order)
    return [_batch(name, [g for g in groups if g[0] == name], h, dtype, w) for name in names]


def _batch(name: str, groups: list, h: float, dtype: np.dtype, w: Array) -> ElementBatch:
    """w: h^2 / mass of each vertex [s^2/kg], (n_vertices,)."""
    n_vertices = len(w)
    energy = importlib.import_module(f"..energies.{name}", __package__)
    elements = np.concatenate([np.where(group[3] < 0, n_vertices, group[3] + group[4]) for group in groups])
    material = np.repeat(np.arange(len(groups)), [len(group[3]) for group in groups])
    rests = [energy.rest(x, e, values, axes, share) for _, values, x, e, _, axes, share in groups]
    rest = np.concatenate(rests)
    corners = elements.shape[1]
    centres = np.concatenate([x[np.where(e < 0, e[:, :1], e)].mean(1) for _, _, x, e, *_ in groups])
    moving = elements[:, :1] if catalog.energies()[name].element == "tether" else elements  # its other end is pinned
    order, clusters, colours, pack_material = _packs(name, moving, centres, material, n_vertices)
    real = order >= 0
    padding = np.arange(corners) % len(PADDING) + n_vertices
    flat_axes = np.array([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
    # A hinge or a tie on the padding is not at rest: it has no stiffness.
    share = np.zeros(1) if catalog.energies()[name].element in ("hinge", "tie") else np.ones(1)
    filling = energy.rest(PADDING, np.arange(corners)[None] % len(PADDING), groups[0][1], flat_axes, share)[0]
    return ElementBatch(
        energy=energy,
        colours=colours,
        clusters=clusters,
        element=order,
        index=_lanes_innermost(np.where(real[:, None], elements[order], padding), np.dtype(np.int32)),
        rest=_lanes_innermost(np.where(real[:, None], rest[order], filling), dtype),
        constants=np.array([energy.constants(group[1], h) for group in groups], dtype),
        material=pack_material.astype(np.int32),
        period=_period(energy, groups, rests, w),
        damping=np.array([group[1].get("damping", 0.0) / h for group in groups], dtype),
        values=[group[1] for group in groups],
    )


def at_substeps(model: Model, substeps: int) -> Model:
    """The same model for another number of substeps a frame; its elements stand where they did."""
    settings = replace(model.settings, substeps=substeps)
    h, dtype = 1.0 / (settings.fps * substeps), np.dtype(settings.dtype)
    batches = [
        replace(
            batch,
            constants=np.array([batch.energy.constants(values, h) for values in batch.values], dtype),
            damping=np.array([values.get("damping", 0.0) / h for values in batch.values], dtype),
        )
        for batch in model.batches
    ]
    return replace(model, settings=settings, h=h, batches=batches)


def _period(energy: ModuleType, groups: list, rests: list[Array], w: Array) -> int:
    """2 for an energy that is soft against inertia, else 1: its sweeps converge more than twice as fast as others'."""
    if not hasattr(energy, "stiffness_ratio"):
        return 1
    numbers = [
        energy.stiffness_ratio(x, e, rest, w[start : start + len(x)])
        for (_, _, x, e, start, _, _), rest in zip(groups, rests, strict=True)
    ]
    return 2 if np.median(np.concatenate(numbers)) < SOFT else 1


def _packs(name: str, elements: Array, centres: Array, material: Array, n_vertices: int) -> tuple[Array, ...]:
    """Elements in packs of 16, of one cluster, one inner colour and one material.

    Returns the element of each lane, -1 for filling, (packs * 16,); the first pack of each cluster and the end; the first
    cluster of each colour and the end; the material of each pack.
    """
    cluster, inner, colour_of = cluster_elements(name, centres, elements, n_vertices)
    # Clusters of a colour stand together; within one, packs of a colour and a material.
    cluster_order = np.lexsort((np.arange(len(colour_of)), colour_of))
    rank = np.empty(len(cluster_order), np.int64)
    rank[cluster_order] = np.arange(len(cluster_order))
    order = np.lexsort((np.arange(len(elements)), material, inner, rank[cluster]))
    keys = np.stack([rank[cluster], inner, material], 1)[order]
    first = np.flatnonzero(np.concatenate([[True], (keys[1:] != keys[:-1]).any(1)]))  # of each run of one key
    sizes = np.diff(np.append(first, len(order)))
    packs = -(-sizes // LANES)
    lanes = np.full(packs.sum() * LANES, -1, np.int64)
    starts = (np.cumsum(packs) - packs) * LANES
    lanes[np.repeat(starts - first, sizes) + np.arange(len(order))] = order
    packs_of = np.bincount(keys[first, 0], packs, len(colour_of)).astype(np.int64)
    clusters = np.concatenate([[0], np.cumsum(packs_of)])
    colours = np.concatenate([[0], np.cumsum(np.bincount(colour_of))])
    return lanes, clusters, colours, np.repeat(keys[first, 2], packs)


def _lanes_innermost(rows: Array, dtype: np.dtype) -> Array:
    """(packs * 16, k) -> (packs, k * 16) with the 16 values of each number side by side."""
    packs, k = len(rows) // LANES, rows.shape[1]
    return np.ascontiguousarray(rows.reshape(packs, LANES, k).transpose(0, 2, 1).reshape(packs, k * LANES), dtype)
