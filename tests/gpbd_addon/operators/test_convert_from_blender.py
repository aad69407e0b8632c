"""Blender's own Cloth and Soft Body become bodies of ours, property by property."""

import numpy as np
import pytest

from tests.gpbd_addon import scenes

#: Type of Blender's modifier -> where its settings are, and how many properties they have there.
SETTINGS = {
    ("CLOTH", "settings"): 57,
    ("CLOTH", "collision_settings"): 13,
    ("SOFT_BODY", "settings"): 44,
}  # fmt: skip


def sheet(blender, name="Skirt", n=4):
    """A grid with a vertex group, a shape key and Blender's Cloth, selected and active."""
    ob = scenes.grid(blender, name, n)
    ob.vertex_groups.new(name="painted").add(list(range(n + 1)), 1.0, "REPLACE")
    return choose(blender, ob)


def line(blender):
    """Twelve edges with a vertex group, without faces, selected and active."""
    ob = scenes.edges(blender)
    ob.vertex_groups.new(name="painted").add([0, 1, 2], 1.0, "REPLACE")
    return choose(blender, ob)


def choose(blender, ob):
    ob.select_set(True)
    blender.context.view_layer.objects.active = ob
    return ob


def other(prop, owner, blender, ob):
    """A value of a property that it does not have."""
    now = getattr(owner, prop.identifier)
    if prop.type == "BOOLEAN":
        return not now
    if prop.type == "ENUM":
        return next(item.identifier for item in prop.enum_items if item.identifier != now)
    if prop.type == "STRING":
        return "" if now == "painted" else "painted"
    if prop.type == "POINTER":
        if prop.identifier == "rest_shape_key":
            ob.shape_key_add(name="Basis")
            return ob.shape_key_add(name="Rest")
        return blender.data.collections.new("Only These")
    if prop.is_array:
        return [part + 0.5 for part in np.ravel(now)]
    if prop.identifier.endswith("_max"):  # Blender keeps it above the minimum
        return type(now)(2 * now + 1) if prop.hard_max > 1 else 0.5
    middle = 0.5 * (prop.soft_min + min(prop.soft_max, prop.soft_min + 4.0))
    return type(now)(middle if abs(middle - now) > 1e-3 else 0.75 * middle + 0.25 * prop.soft_max)


def converted(blender, ob):
    """Identifier of each property -> what became of it."""
    from gpbd.gpbd_addon.operators import convert_from_blender

    done, left_out = convert_from_blender.convert(blender.context.scene, [ob])
    assert not left_out
    return {(line.table.partition(" > ")[2], line.name): line for line in done[ob.name]}


def listed(lines, path, name):
    place = {"settings": "", "collision_settings": "Collisions"}[path]
    return lines[place, name]


@pytest.mark.parametrize(("kind", "path", "mesh"), [(*each, sheet) for each in SETTINGS] + [("SOFT_BODY", "settings", line)])
def test_every_property_is_mapped_or_told(kind, path, mesh, blender):
    """One by one: a mapped property changes the result, all others are listed as set, with the reason why."""
    ob = mesh(blender)
    md = ob.modifiers.new("Own", kind)
    if kind == "CLOTH":  # properties that Blender uses only beside these
        md.settings.vertex_group_mass = md.settings.vertex_group_shear_stiffness = "painted"
        md.settings.vertex_group_structural_stiffness = md.settings.vertex_group_bending = "painted"
    else:
        md.settings.use_stiff_quads, md.settings.bend = mesh is sheet, 1.0
    owner = getattr(md, path)
    names = [prop.identifier for prop in owner.bl_rna.properties if prop.identifier != "rna_type"]
    assert len(names) == SETTINGS[kind, path]
    before, silent = converted(blender, ob), []
    for name in names:
        prop = owner.bl_rna.properties[name]
        if prop.is_readonly:
            assert listed(before, path, name).how
            continue
        was = getattr(owner, name)
        was = list(np.ravel(was)) if getattr(prop, "is_array", False) else was
        if name.endswith("estimate"):  # a matrix that Blender writes
            assert not listed(before, path, name).mapped
            continue
        setattr(owner, name, other(prop, owner, blender, ob))
        line = listed(converted(blender, ob), path, name)
        assert line.how
        was_before = listed(before, path, name)
        if line.mapped and was_before.mapped and line.became == was_before.became:
            silent.append(name)
        if not line.mapped:
            assert line.set_ or line.value == was_before.value, name
        setattr(owner, name, was)
    # `goal_spring` and `pin_stiffness` are one number, which Blender keeps once; of the groups one is taken
    assert set(silent) <= {"goal_spring", "vertex_group_object_collisions", "vertex_group_self_collisions"}


def test_a_table_has_no_property_twice_and_none_that_blender_does_not_have(blender):
    from gpbd.gpbd_addon.convert.conversion import TABLES

    for kind, tables in TABLES.items():
        ob = sheet(blender)
        md = ob.modifiers.new(kind, "SOFT_BODY" if kind == "ROPE" else kind)
        for _, path, rows in tables:
            owner = md
            for name in path.split("."):
                owner = getattr(owner, name)
            known = [prop.identifier for prop in owner.bl_rna.properties if prop.identifier != "rna_type"]
            assert sorted(row.name for row in rows) == sorted(known)
            ours = ob.gpbd.effector_weights if path.endswith("weights") else ob.gpbd
            scaled = [row.name for row in rows if row.factor is not None]
            assert all(ours.bl_rna.properties[name].is_animatable for name in scaled), "a curve would do nothing"


def state(blender):
    """All that can be set, of objects and their modifiers, the scene, and how many other data there are."""

    def values(owner, depth=0):
        found = {}
        for prop in owner.bl_rna.properties:
            if prop.identifier == "rna_type" or (prop.is_readonly and prop.type not in ("POINTER", "COLLECTION")):
                continue
            value = getattr(owner, prop.identifier)
            if prop.type == "POINTER":
                inner = value is not None and not isinstance(value, blender.types.ID) and prop.is_readonly and depth < 5
                found[prop.identifier] = values(value, depth + 1) if inner else getattr(value, "name", None)
            elif prop.type == "COLLECTION":
                rows = prop.identifier in ("modifiers", "vertex_groups")
                found[prop.identifier] = [values(row, depth + 1) for row in value] if rows else len(value)
            else:
                found[prop.identifier] = np.ravel(value).tolist() if getattr(prop, "is_array", False) else value
        return found

    data = blender.data
    ours = values(blender.context.scene.gpbd)
    counts = [len(kind) for kind in (data.objects, data.meshes, data.collections, data.texts)]
    return {ob.name: values(ob) for ob in data.objects}, ours, counts


def test_one_undo_restores_everything_of_twenty_objects(blender):
    """In one operator: sheets and closed meshes, Cloth and Soft Body, with modifiers before and after. Equal, not close."""
    for k in range(20):
        ob = sheet(blender, f"Sheet {k}") if k % 3 else choose(blender, scenes.cube(blender, f"Solid {k}"))
        ob.modifiers.new("Bevel", "BEVEL")
        own = ob.modifiers.new("Own", "CLOTH" if k % 2 else "SOFT_BODY")
        ob.modifiers.new("Fine", "SUBSURF")
        if k % 2:
            own.settings.time_scale, own.collision_settings.use_collision = 2.0, False
    blender.context.view_layer.update()
    blender.ops.ed.undo_push(message="before")
    before = state(blender)
    assert blender.ops.gpbd.convert_from_blender() == {"FINISHED"}
    blender.ops.ed.undo_push(message="convert")
    bodies = [ob for ob in blender.data.objects if ob.gpbd.body_type != "NONE"]
    assert len(bodies) == 20 and {ob.gpbd.body_type for ob in bodies} == {"CLOTH", "SOFT_BODY"}
    for ob in bodies:
        names = [md.name for md in ob.modifiers]
        ours = names.index("Own") + 1
        assert names.pop(ours) == f"GPBD {'Cloth' if ob.gpbd.body_type == 'CLOTH' else 'Soft Body'}"
        assert names == [md["name"] for md in before[0][ob.name]["modifiers"]]
        assert not ob.modifiers["Own"].show_viewport and not ob.modifiers["Own"].show_render
    assert blender.data.texts[0].as_string().count("===") == 20
    blender.ops.ed.undo()
    assert state(blender) == before


def test_what_cannot_be_converted_is_left_out_and_told(blender):
    rope = scenes.mesh_object(blender, "Rope", [(0, 0, 0), (1, 0, 0)], [])
    rope.modifiers.new("Own", "CLOTH")
    off = sheet(blender, "Off")
    off.modifiers.new("Own", "CLOTH")
    off.hide_viewport = True
    ob = sheet(blender)
    ob.modifiers.new("Own", "CLOTH")
    rope.select_set(True)
    from gpbd.gpbd_addon.operators import convert_from_blender

    done, left_out = convert_from_blender.convert(blender.context.scene, [rope, off, ob])
    assert list(done) == [ob.name] and len(left_out) == 2
    assert "Rope: has no faces" in left_out[0] and "Off" in left_out[1]
    assert rope.modifiers["Own"].show_viewport and rope.gpbd.body_type == "NONE"


def test_mass_stiffness_and_pins_are_in_units(blender):
    """A square of 1 m, 4 x 4 quads of 0.25 m, 25 vertices. Edges: 1000 N/m x 15 / 0.25 each, 5 rows of them on 1 m; shear:
    two diagonals a quad. Within single precision."""
    ob = sheet(blender)
    md = ob.modifiers.new("Own", "CLOTH")
    md.settings.vertex_group_mass = "painted"
    converted(blender, ob)
    edge, diagonal = 1000 * 15 / 0.25 * 5 / 4, 1000 * 5 / 0.25
    poisson = diagonal / (edge + diagonal)
    membrane = ob.gpbd.stvk_membrane
    assert ob.gpbd.density_area == pytest.approx(0.3 * 25)
    assert membrane.young_warp == pytest.approx((edge + diagonal) * (1 - poisson**2))
    assert membrane.young_weft == pytest.approx(membrane.young_warp)
    assert membrane.poisson == pytest.approx(poisson)
    assert membrane.shear == pytest.approx(diagonal)
    assert ob.gpbd.discrete_shell.bending_warp == pytest.approx(1000 * 0.1 * 0.5 * 0.25**2 / 2)
    assert ob.gpbd.pin_group == "painted"


def test_a_closed_soft_body_becomes_a_solid_with_its_goal(blender):
    """The energy of its springs, 12 edges of 1 m and 12 diagonals, in 1 m^3; the spring of a goal of 0.7 on a vertex, and
    its friction over critical damping; a goal of 1 holds."""
    ob = choose(blender, scenes.cube(blender))
    st = ob.modifiers.new("Own", "SOFT_BODY").settings
    st.pull = st.push = 0.5
    st.use_edges = st.use_stiff_quads = True
    st.shear, st.mass, st.goal_spring, st.goal_friction = 0.5, 2.0, 0.5, 3.0
    ob.vertex_groups.new(name="goal").add(range(4), 0.7, "REPLACE")
    ob.vertex_groups["goal"].add([7], 1.0, "REPLACE")
    st.vertex_group_goal, st.goal_default = "goal", 1.0
    converted(blender, ob)
    assert ob.gpbd.body_type == "SOFT_BODY"
    assert ob.gpbd.density_volume == pytest.approx(16)
    assert ob.gpbd.stable_neo_hookean.young == pytest.approx(1000 * (12 + 0.25 * 12 * 2**0.5) / 6)
    stiffness = 1000 * (1 / (1 - 0.7**4 * 0.5) - 1)
    angular = (stiffness / 2.0) ** 0.5
    settings = ob.gpbd
    assert settings.use_goal and settings.goal_frequency == pytest.approx(angular / (2 * np.pi), rel=1e-5)
    assert settings.goal_damping_ratio == pytest.approx(0.01 * 3.0 * 1000**0.5 / (2 * 2.0 * angular), rel=1e-4)
    assert [weight_in(ob, settings.goal_group, k) for k in range(8)] == pytest.approx([1.0] * 4 + [0.0] * 4)
    assert [weight_in(ob, settings.pin_group, k) for k in range(8)] == [0.0] * 7 + [1.0]


def test_a_soft_body_of_edges_becomes_a_rope_with_its_springs(blender):
    """Twelve edges of 1/12 m, 13 vertices of 20 g. Pull: 1000 N x (1 / (1 - 0.9) - 1) at twice the length, whatever the
    radius of 0.3 edges; bending: the springs over two edges at a bend of a radius of one; within single precision."""
    ob = line(blender)
    st = ob.modifiers.new("Own", "SOFT_BODY").settings
    st.pull, st.push, st.bend, st.mass, st.ball_size = 0.9, 0.2, 0.5, 0.02, 0.3
    st.vertex_group_goal, st.goal_default, st.goal_spring = "painted", 1.0, 0.5
    lines = converted(blender, ob)
    own, edge, stiffness = ob.gpbd, 1 / 12, 1000 * 9.0
    radius = 0.3 * edge
    assert own.body_type == "ROPE" and own.rope_radius == pytest.approx(radius)
    assert own.density_volume * np.pi * radius**2 == pytest.approx(13 * 0.02)
    assert own.rod_stretch.young * np.pi * radius**2 == pytest.approx(stiffness)
    assert own.elastic_rod.bending * 0.25 * np.pi * radius**4 == pytest.approx(0.5 * stiffness * edge**2 / 18)
    assert not own.rope_is_straight and own.pin_group and weight_in(ob, own.pin_group, 2) == 1.0
    push = listed(lines, "settings", "push")
    assert push.set_ and not push.mapped and "Pull" in push.how


def test_a_converted_rope_hangs_as_its_springs(blender, tmp_path):
    """Twelve edges, held at the top: the weight of the vertices below each, over the stiffness of its spring, 1 % of the
    length in all; 3 % of that for what still swings. Without Bend it is a chain."""
    ob = line(blender)
    ob.rotation_euler[1] = np.pi / 2
    ob.vertex_groups["painted"].remove([1, 2])
    st = ob.modifiers.new("Own", "SOFT_BODY").settings
    st.pull, st.mass, st.friction = 0.5, 0.15, 0.0
    st.vertex_group_goal, st.goal_default = "painted", 1.0
    assert blender.ops.gpbd.convert_from_blender() == {"FINISHED"}
    assert ob.gpbd.rope_bend_model == "NONE"
    ob.gpbd.rod_stretch.damping = 0.05
    scene = blender.context.scene
    scene.gpbd.frame_start, scene.gpbd.frame_end = 1, 36
    scenes.save(blender, tmp_path)
    job = scenes.bake(blender)
    assert job.state == "done", job.reason
    below = 13 * 0.15 / 12 * (np.arange(12) + 0.5)  # a rope has half as much at its ends
    assert scenes.cache(job, ob.name)[-1][-1, 0] - 1.0 == pytest.approx(9.81 * below.sum() / 1000 / 12, rel=0.03)


@pytest.mark.parametrize("closed", [True, False])
def test_a_plastic_soft_body_keeps_what_is_stretched_by_more_than_5_percent(blender, closed):
    """Blender's springs change their length from there on."""
    ob = choose(blender, scenes.cube(blender) if closed else sheet(blender))
    st = ob.modifiers.new("Own", "SOFT_BODY").settings
    st.use_edges, st.pull, st.push, st.plastic = True, 0.5, 0.5, 20
    converted(blender, ob)
    if closed:
        model = ob.gpbd.plastic_neo_hookean
        assert ob.gpbd.solid_model == "plastic_neo_hookean"
        assert model.yield_stress == pytest.approx(0.05 * model.young) and model.young > 0
    else:
        model = ob.gpbd.plastic_membrane
        assert ob.gpbd.stretch_model == "plastic_membrane"
        assert model.yield_stress == pytest.approx(0.025 * (model.young_warp + model.young_weft)) and model.young_warp > 0


def weight_in(ob, group, vertex):
    """The weight of a vertex in a group, 0 if it is not in it."""
    number = ob.vertex_groups[group].index
    return next((found.weight for found in ob.data.vertices[vertex].groups if found.group == number), 0.0)


def tube(blender, name, radii, heights, around=16):
    """A tube of rings, from above; the object."""
    angle = 2 * np.pi * np.arange(around) / around
    rings = [
        np.column_stack([r * np.cos(angle), r * np.sin(angle), np.full(around, z)])
        for r, z in zip(radii, heights, strict=True)
    ]
    faces = [
        (
            ring * around + k,
            (ring + 1) * around + k,
            (ring + 1) * around + (k + 1) % around,
            ring * around + (k + 1) % around,
        )
        for ring in range(len(radii) - 1)
        for k in range(around)
    ]
    return scenes.mesh_object(blender, name, np.concatenate(rings), faces)


def test_a_character_runs_after_one_click(blender, tmp_path):
    """As character tools set it up: a mannequin with Collision and an armature, a skirt with Cloth and a pin group, parented
    to it, smoothed after. It turns; the skirt keeps its waist, and comes no nearer to the legs than their skin."""
    scene = blender.context.scene
    armature = blender.data.objects.new("Rig", blender.data.armatures.new("Rig"))
    scene.collection.objects.link(armature)
    mannequin = tube(blender, "Mannequin", [0.15] * 9, np.linspace(1.2, 0, 9))
    mannequin.modifiers.new("Armature", "ARMATURE").object = armature
    mannequin.modifiers.new("Collision", "COLLISION")
    mannequin.collision.thickness_outer = 0.005
    skirt = choose(blender, tube(blender, "Skirt", np.linspace(0.17, 0.4, 9), np.linspace(1.0, 0.5, 9)))
    skirt.vertex_groups.new(name="Waist").add(list(range(16)), 1.0, "REPLACE")
    skirt.modifiers.new("Armature", "ARMATURE").object = armature
    cloth = skirt.modifiers.new("Cloth", "CLOTH")
    cloth.settings.vertex_group_mass = "Waist"
    cloth.settings.mass = 0.01
    cloth.collision_settings.use_self_collision = True
    skirt.modifiers.new("Smooth", "SUBSURF")
    for ob in (mannequin, skirt):
        ob.parent = armature
    scenes.move(armature, [1, 8], [(0, 0, 0), (0, 0, 0.8)], "rotation_euler")
    scene.frame_end = 8
    assert blender.ops.gpbd.convert_from_blender() == {"FINISHED"}
    scenes.save(blender, tmp_path)
    job = scenes.bake(blender)
    assert job.state == "done", job.reason
    assert [md.name for md in skirt.modifiers] == ["Armature", "Cloth", "GPBD Cloth", "GPBD Attributes", "Smooth"]
    frames = scenes.cache(job, "Skirt")
    last = frames[-1]  # in the space of the skirt, which turns with the rig
    assert np.abs(last[:16] - frames[0][:16]).max() < 1e-5
    assert np.hypot(last[:, 0], last[:, 1]).min() > 0.15 * np.cos(np.pi / 16)
    assert 1e-4 < np.abs(last - frames[0]).max() < 0.3  # it sways: a stiff cone


def test_keys_go_over_where_a_factor_is_all_and_are_told_elsewhere(blender):
    """Friction is scaled as that of colliders is; its curve is the old one scaled, between the keys too, within single
    precision."""
    from gpbd.gpbd_addon.convert import report
    from gpbd.gpbd_addon.operators import convert_from_blender
    from gpbd.gpbd_addon.read.collision_objects import FRICTION_FACTOR

    ob = sheet(blender)
    md = ob.modifiers.new("Own", "CLOTH")
    weights = md.settings.effector_weights
    keyed = ((md.collision_settings, "friction"), (weights, "wind"), (md.settings, "tension_stiffness"))
    for owner, name in keyed:
        for frame, value in ((1, 5.0), (11, 40.0)):
            setattr(owner, name, value / (1 if owner != weights else 50))
            owner.keyframe_insert(name, frame=frame)
    md.settings.driver_add("shrink_min").driver.expression = "0.25"
    done, _ = convert_from_blender.convert(blender.context.scene, [ob])
    (strip,) = ob.animation_data.action.layers[0].strips
    curves = {curve.data_path: curve for curve in strip.channelbags[0].fcurves}
    assert {path for path in curves if path.startswith("gpbd")} == {"gpbd.friction", "gpbd.effector_weights.wind"}
    old = {path.rpartition(".")[2]: curve for path, curve in curves.items() if not path.startswith("gpbd")}
    for frame in (0, 1, 4, 7, 11, 20):
        friction, wind = curves["gpbd.friction"], curves["gpbd.effector_weights.wind"]
        assert friction.evaluate(frame) == pytest.approx(FRICTION_FACTOR * old["friction"].evaluate(frame), rel=1e-6)
        assert wind.evaluate(frame) == old["wind"].evaluate(frame)
    told = {line.name: line.animated for line in done[ob.name] if line.animated}
    assert set(told) == {"friction", "wind", "tension_stiffness", "shrink_min"}
    assert (
        "goes over" in told["friction"]
        and "not carried over" in told["tension_stiffness"]
        and "driver" in told["shrink_min"]
    )
    assert all(sentence in report.text(done, []) for sentence in told.values())
