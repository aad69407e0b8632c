"""From a scene that was read to the caches that its modifiers play, and the drape; how a bake went."""
