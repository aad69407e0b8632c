"""What runs in a substep handles arrays by `device.arrays` and by kernels, so that another device needs no edit of it."""

from __future__ import annotations

import ast

from tests.guards import sources

STAGES = [
    path
    for path in sources.files("solver/stepping", "solver/contact")
    if path.stem not in ("poses", "field_poses", "shapes", "jumps", "snapshot", "renewal", "setup", "statistics")
    and path.parent.name != "surfaces"
]
#: Names of NumPy that are types, not operations.
TYPES = {"np.dtype", "np.float32", "np.float64", "np.int32", "np.int64", "np.uint32", "np.uint64"}
#: Functions that work on the host: set-up, and numbers that come from there once a substep.
ON_THE_HOST = {
    "lifetime.py": {"skins"},
    "tree.py": {"morton_order", "_cell_by_cell", "_no_boxes", "_node_spans"},
    "smooth_windows.py": {"_no_room"},
    "predicted_paths.py": {"unknown_paths"},
    "neighbour_lists.py": {"state", "restore", "_renew"},
    "half_spaces.py": {"plane_table"},
    "contact.py": {"begin_substep"},
    "integrate.py": {"begin_substep"},
    "air.py": {"_group"},
    "fields.py": {
        "response_numbers",
        "push",
        "load",
        "push_rigid",
        "air",
        "_own_gravity",
        "_accelerations",
        "_sums",
        "_surface",
        "nearest",
    },
    "following.py": {"follow", "at", "boost", "rotation_vector", "rotation"},
    "step.py": {"_predict"},
    "stitches.py": {"set_stitches", "of_stitches"},
    "pressure.py": {"equilibrate", "_meet", "_of_fluid"},
    "sleep.py": {"wake_disturbed", "put_to_sleep", "_observe", "_hold", "near", "links", "_ties"},
}


def test_a_substep_names_no_library_of_arrays():
    wrong = []
    for path in STAGES:
        for function in ast.walk(sources.tree(path)):
            if not isinstance(function, ast.FunctionDef) or function.name in {"__init__", *ON_THE_HOST.get(path.name, ())}:
                continue
            compiled = " ".join(ast.unparse(decorator) for decorator in function.decorator_list)
            if "kernel" in compiled or "inline" in compiled:
                continue
            calls = (ast.unparse(node.func) for node in ast.walk(function) if isinstance(node, ast.Call))
            found = [call for call in calls if call.startswith("np.") and call not in TYPES]
            wrong += [f"{sources.name(path)}, {function.name}: {call}" for call in found]
    assert not wrong
