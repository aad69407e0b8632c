"""Exception classes. Every message names the object, the value found, the value wanted and the remedy."""


class GpbdError(Exception):
    """Base of every error this project raises on purpose."""


class SceneError(GpbdError):
    """A body, collider, pin set or setting that cannot be simulated as given."""


class TopologyError(SceneError):
    """A mesh whose connectivity cannot be simulated: non-manifold edges, duplicate faces, inverted tetrahedra."""


class MaterialError(SceneError):
    """A material with a missing, unknown or impossible value."""


class PresetError(MaterialError):
    """A preset that cannot be read, found or written."""


class TetrahedralizationError(SceneError):
    """A surface that could not be filled with tetrahedra."""


class CacheError(GpbdError):
    """A cache that cannot be read or written, or that belongs to another mesh."""


class LockedError(CacheError):
    """A cache that another process writes, or may still be writing."""


class ContactMemoryError(GpbdError):
    """More pairs of elements are near each other than contact may take memory for; the message names the objects."""


class UnstableError(GpbdError):
    """The simulation left the finite numbers; the message names frame, body, vertex and the setting to change."""


class StoppedError(GpbdError):
    """Long work that a user has stopped; nothing is wrong."""


class WorkerError(GpbdError):
    """The process that solves has ended by itself, or could not be given anything."""
