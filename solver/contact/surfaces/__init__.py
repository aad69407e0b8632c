"""Surfaces in contact: those of bodies and colliders as one set of vertices, edges and triangles."""
