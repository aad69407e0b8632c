"""Words of Blender in all texts for artists; docs/reference has those of the field."""

import ast
import re

from tests.gpbd_addon import scenes
from tests.guards import sources

#: Words that panels, menus, operators and messages no longer use -> their replacements.
BANNED = {
    r"sweeps?": "iterations",
    r"residuals?": "solver error",
    r"tolerances?": "Stop Below Error, or At Rest Below",
    r"cards?": "preset",
    r"settl(e|es|ed|ing)": "drape",
    r"gauges?": "statistics",
    r"whole sheet": "Keep Length",
    r"pinch(ed)?": "unresolved collisions",
    r"tethers?": "Max Distance from Pins",
    r"slack": "Extra Length",
    r"self.contact": "Self Collisions",
    r"without contact": "No Collision Group",
    r"touches": "Collision Collection",
    r"red at": "Full Color At",
    r"force left": "At Rest Below",
    r"warp along u": "Fabric UV Map",
    r"quadratic bend": "Flat",
}
PATTERN = re.compile(rf"(?<![\w.`])(?:{'|'.join(BANNED)})(?![\w`])", re.IGNORECASE)
#: Names in code that look like prose: what the solver and files of builds before the release call things.
NAMES = {"gpbd_addon/properties/migration.py"}


def old_words(text):
    return [f"'{found.group()}' in '{text}'" for found in PATTERN.finditer(text)]


def texts_of(rna):
    """Names and descriptions of a registered class, its properties and their items."""
    yield from (rna.name, rna.description)
    for prop in rna.properties:
        yield from (prop.name, prop.description)
        for item in getattr(prop, "enum_items_static", ()) if prop.type == "ENUM" else ():
            yield from (item.name, item.description)


def registered(bpy):
    from gpbd import gpbd_addon

    rooms = (gpbd_addon.properties, gpbd_addon.operators, gpbd_addon.ui)
    for cls in [cls for room in rooms for cls in room.CLASSES]:
        yield cls.__name__, getattr(cls, "bl_rna", None), cls
    material = bpy.types.Material.bl_rna.properties["gpbd_preset"]
    yield "Material.gpbd_preset", None, (material.name, material.description)


def test_nothing_that_is_registered_has_an_old_word(blender):
    wrong = []
    for name, rna, found in registered(blender):
        texts = list(found) if isinstance(found, tuple) else list(texts_of(rna))
        if not isinstance(found, tuple):
            texts += [getattr(found, "bl_label", ""), getattr(found, "bl_description", "")]
        if hasattr(found, "bl_idname") and issubclass(found, blender.types.Operator):
            module, function = found.bl_idname.split(".")
            texts += list(texts_of(getattr(getattr(blender.ops, module), function).get_rna_type()))
        wrong += [f"{name}: {problem}" for text in texts for problem in old_words(text)]
    assert not wrong, "\n".join(wrong)


def prose(path):
    """String constants of more than one word, and labels, but no docstrings of modules and functions."""
    tree = sources.tree(path)
    kinds = (ast.Module, ast.FunctionDef, ast.ClassDef)
    quiet = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, kinds) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in quiet:
            if " " in node.value.strip() or node.value[:1].isupper():
                yield node.lineno, node.value


def test_no_message_or_label_has_an_old_word():
    wrong = [
        f"{sources.name(path)}, line {line}: {problem}"
        for path in sources.files("gpbd_addon")
        if sources.name(path) not in NAMES
        for line, text in prose(path)
        for problem in old_words(text)
    ]
    assert not wrong, "\n".join(wrong)


def test_what_the_catalogue_and_the_menus_of_methods_say_has_no_old_word(extension):
    from gpbd.solver.scene import catalog, method_choices

    menus = (method_choices.METHODS, method_choices.INTEGRATORS)
    texts = [text for names in menus for pair in names.values() for text in pair]
    for energy in catalog.energies().values():
        texts += [energy.label, *(text for p in energy.parameters.values() for text in (p.label, p.description))]
    assert not [problem for text in texts for problem in old_words(text)]


def test_labels_do_not_change_with_the_value(blender):
    """Layer and Threads say what 0 means in their descriptions."""
    from tests.gpbd_addon.ui.test_panels import draw

    cloth = scenes.cloth(blender)
    assert "(0 is" not in draw(blender, cloth).text()
    for group, name in ((cloth.gpbd, "layer"), (blender.context.scene.gpbd, "threads")):
        assert "0" in group.bl_rna.properties[name].description
