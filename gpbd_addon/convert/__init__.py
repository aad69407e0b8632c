"""Conversion of Blender's Cloth and Soft Body to our bodies: the counterpart of each property, and properties
without one."""
