"""Layout that measures: which drawn texts are wider than Blender gives them in a narrow sidebar."""

from __future__ import annotations

from types import SimpleNamespace

from tests.gpbd_addon.ui.test_panels import Layout

#: Of the narrowest sidebar that counts, and of its rows [pixels].
REGION, ROW = 227, 193.0
#: Beside a text: of a label, an icon, the arrow of a menu, the frame of a button, of a box [pixels].
LABEL, ICON, ARROW, FRAME, BOX = 6.0, 20.0, 14.0, 7.0, 10.0
#: Blender's share of a row for a label, and what a button without text needs [pixels].
SPLIT, ALONE = 0.4, 20.0


class Measured(Layout):
    """Stands for a UILayout of a width; `cut` gets each text without room. kind: children of a row share its width."""

    def __init__(self, bpy, width=ROW, drawn=None, cut=None, kind="column"):
        super().__init__(bpy, drawn)
        self.width, self.kind, self.cut = width, kind, [] if cut is None else cut
        self.use_property_split = False
        self._parts, self._needs, self._factor = [], [], None

    def _child(self, kind, width):
        part = Measured(self.bpy, width, self.drawn, self.cut, kind)
        part.use_property_split = self.use_property_split
        self._parts.append(part)
        if self._factor is not None:
            first = len(self._parts) + len(self._needs) == 1
            part.width = self.width * (self._factor if first else 1 - self._factor)
        return part

    def row(self, **_):
        return self._child("row", self.width)

    def column(self, **_):
        return self._child("column", self.width)

    def box(self):
        return self._child("column", self.width - BOX)

    def split(self, factor=0.5, **_):
        part = self._child("split", self.width)
        part._factor = factor
        return part

    def grid_flow(self, columns=1, **_):
        return self._child("column", self.width / columns)

    def panel(self, idname, default_closed=False):
        return self._child("row", self.width - ICON), self._child("column", self.width)

    def label(self, text="", icon="NONE"):
        super().label(text, icon)
        self._need(text, self._text(text, icon, LABEL))

    def operator(self, name, text="", icon="NONE", depress=False, emboss=True):
        module, function = name.split(".")
        label = getattr(self.bpy.types, f"GPBD_OT_{function}").bl_label if module == "gpbd" and text == "" else text
        shown = "" if text == "" and icon != "NONE" and self.kind == "row" else label
        self._need(shown, self._text(shown, icon, FRAME) if shown else ALONE)
        return super().operator(name, text, icon, depress, emboss)

    def prop(self, data, name, text=None, icon="NONE", index=-1, **options):
        super().prop(data, name, text, icon, index)
        prop = data.bl_rna.properties[name]
        shown = prop.name if text is None else text
        if prop.type == "BOOLEAN":
            need = self._text(shown, icon, ICON) if shown else ALONE
        elif self.use_property_split and shown:
            self._check(shown, self._text(shown, "NONE", LABEL), SPLIT * self.width)
            return
        else:
            need = self._text(shown, icon, FRAME) if shown else 50.0
        if prop.type == "ENUM" and text == "":
            value = self.bpy.types.UILayout.enum_item_name(data, name, getattr(data, name))
            shown, need = value, self._text(value, icon, FRAME + ARROW)
        self._need(shown, need)

    def prop_enum(self, data, name, value):
        super().prop_enum(data, name, value)
        shown = data.bl_rna.properties[name].enum_items[value].name
        self._need(shown, self._text(shown, "NONE", FRAME))

    def _text(self, text, icon, padding):
        from gpbd.gpbd_addon.translations import tr
        from gpbd.gpbd_addon.ui.label_width import text_width

        return text_width(tr(text)) + padding + ICON * (icon != "NONE")

    def _need(self, text, pixels):
        self._needs.append((text, pixels))
        if self.kind != "row":
            self._check(text, pixels, self.width)

    def _check(self, text, pixels, width):
        if pixels > width + 0.5:
            self.cut.append(f"{text}: {pixels:.0f} of {width:.0f}")

    def wanted(self):
        """Return the width that its parts need, after a look at those that are rows."""
        needs = [pixels for _, pixels in self._needs] + [part.wanted() for part in self._parts]
        total = sum(needs) if self.kind == "row" else max(needs, default=0.0)
        if self.kind == "row":
            self._check(" | ".join(text for text, _ in self._needs), total, self.width)
        return 0.0 if self.kind == "split" else total


def cut_texts(bpy, ob, names):
    """Return the texts of panels that are cut, of an object that is active."""
    layout = Measured(bpy)
    context = SimpleNamespace(
        object=ob, scene=bpy.context.scene, view_layer=bpy.context.view_layer, window_manager=bpy.context.window_manager,
        preferences=SimpleNamespace(system=SimpleNamespace(ui_scale=1.0)), region=SimpleNamespace(width=REGION),
        space_data=None,
    )  # fmt: skip
    for name in names:
        panel = getattr(bpy.types, name)
        if not panel.poll(context):
            continue
        part = layout._child("column", ROW)
        own = SimpleNamespace(layout=part)
        if hasattr(panel, "begin"):
            part.use_property_split = True
            own.begin = part.column
        panel.draw(own, context)
        part.wanted()
    return list(dict.fromkeys(layout.cut))
