"""Names that Blender knows us by; everything that refers to one takes it from here."""

from __future__ import annotations

#: The package that Blender enables and keeps preferences for: `bl_ext.<repository>.gpbd` as an extension.
ADDON_ID = __package__.rpartition(".")[0] or __package__

#: In which words are translated that Blender's own dictionary takes for others.
OWN_CONTEXT = "GPBD"
#: Names of the shape keys made of a cache begin with this.
SHAPE_KEY_PREFIX = "GPBD "
#: The shape key that *Drape* makes.
DRAPED_KEY = "GPBD Draped"
#: Point attributes of a body's mesh: where the simulation begins (object space), its stretch, and the stretch as a colour.
START_ATTRIBUTE = "gpbd_start"
STRETCH_ATTRIBUTE = "gpbd_stretch"
STRETCH_COLOUR = "gpbd_stretch_colour"
#: Point attributes: the gap to what a body may touch, the tension of a rope in its place, and the gap as a colour.
CONTACT_ATTRIBUTE = "gpbd_contact"
TENSION_ATTRIBUTE = "gpbd_tension"
CONTACT_COLOUR = "gpbd_contact_colour"
#: Point attributes that nodes make of a cache: velocity as Cycles and exporters know it, the same where samples between
#: frames are to blur by themselves, and the error.
VELOCITY_ATTRIBUTE = "velocity"
SAMPLED_VELOCITY_ATTRIBUTE = "gpbd_velocity"
ERROR_ATTRIBUTE = "gpbd_error"
#: Of what flows: curvature and strain that stay.
PLASTIC_CURVATURE_ATTRIBUTE, PLASTIC_ATTRIBUTE = "gpbd_plastic_curvature", "gpbd_plastic"
#: The modifier that makes them.
ATTRIBUTES_MODIFIER = "GPBD Attributes"
#: Edge attribute: rest lengths in metres, which the heat map compares with.
REST_LENGTH_ATTRIBUTE = "gpbd_rest_length"
#: Point attributes: of a simulation mesh its rest positions, of what follows it the points of these that it is tied to
#: (both object space); and the modifier by which it follows.
REST_ATTRIBUTE = "gpbd_rest"
ANCHOR_ATTRIBUTE = "gpbd_anchor"
FOLLOW_MODIFIER = "GPBD Follow"
#: Point attribute of a cloth that may tear: number of the vertex of the mesh that one is a copy of; the modifier that splits
#: the mesh, and the one that joins it where it is whole.
POINT_ATTRIBUTE = "gpbd_point"
TEAR_MODIFIER, TEAR_WELD = "GPBD Tear", "GPBD Tear Weld"
#: The modifier that shows the edges of a rope with their radius.
ROPE_SURFACE = "GPBD Rope Surface"
#: The modifier that makes the edges of a rope along a curve, and its attribute of pinned ends.
ROPE_CURVE, ROPE_PINS = "GPBD Rope Curve", "pinned_ends"
#: The modifier by which a curve plays the cache of a rope.
PLAYED_CURVE = "GPBD Rope Playback"
#: Custom properties that show the statistics in the Graph Editor begin with this.
STATISTICS_PREFIX = "gpbd_"
#: The group of their F-curves.
STATISTICS_GROUP = "GPBD Statistics"

#: Blender's name of the keys of Object Mode.
OBJECT_KEYS = "Object Mode"

PANEL = "PHYSICS_PT_gpbd"
GALLERY = "GPBD_PT_preset_gallery"
#: Name of the asset library of presets in the preferences, and the author by which its assets are known.
ASSET_LIBRARY = "GPBD Presets"
ASSET_AUTHOR = "GPBD"
PRESET_MENU = "GPBD_MT_presets"
KIND_MENU = "GPBD_MT_kind"
SELECTED_MENU = "GPBD_MT_selected"
SELECTED_PRESET_MENU = "GPBD_MT_presets_selected"
