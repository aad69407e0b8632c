"""What may touch: surfaces of bodies and colliders as one set of vertices, edges and triangles."""
