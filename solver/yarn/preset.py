"""A computed fabric as a preset with its table, and where each of its numbers comes from."""

from __future__ import annotations

import json
import os
from pathlib import Path

from ..errors import PresetError
from ..paths import as_path
from ..scene.fabric_table import VERSION as TABLE
from ..scene.fabric_table import write_table
from .compute import VERSION, Fabric, Tell, compute, read
from .stored_samples import forget

#: Of cloth on cloth, and viscous over elastic stress; estimated, for all fabrics.
FRICTION, DAMPING = 0.4, 0.002
DEFAULT_CATEGORY = {"weave": "Yarn-level wovens", "knit": "Yarn-level knits"}


def compute_preset(
    pattern: str,
    yarns: str,
    file: Path,
    workers: int = 1,
    tell: Tell = lambda what, share: None,
    seed: int = 0,
    overwrite: bool = False,
) -> Fabric:
    """Compute a fabric and write `<file>`, a preset, and its table `data/<name>.npz` beside it.

    pattern: a pattern's name or file. yarns: "" for the pattern's own, or WARP or WARP,WEFT. file: ends in .toml. Samples
    are kept in a hidden folder beside it until the preset is written, and reused after a stopped run; damaged ones are
    computed again, and named in the result. Raises: PresetError for input that cannot be read, woven, knitted or written,
    and for an existing preset (without `overwrite`); WorkerError.
    """
    file = as_path("Preset", file, PresetError)
    if file.suffix != ".toml":
        raise PresetError(f"{file}: a preset's file ends in '{file.suffix}'; wanted '.toml'. Give it that ending.")
    if file.exists() and not overwrite:
        raise PresetError(f"{file}: there is a preset already; wanted a new name. Choose another, or overwrite it.")
    drawn, both = read(pattern, yarns)
    samples_folder = file.with_name(f".{file.stem}.samples")
    fabric = compute(drawn, both, workers, samples_folder, tell, seed)
    write_table(file.parent / "data" / f"{file.stem}.npz", fabric.table)
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        part.write_text(text_of(fabric, file.stem, seed), encoding="utf-8", newline="\n")
        os.replace(part, file)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise PresetError(f"{file}: the preset cannot be written ({error.strerror}). Choose another folder.") from error
    forget(samples_folder)
    return fabric


def text_of(fabric: Fabric, stem: str, seed: int) -> str:
    """The preset's file."""
    pattern, checks = fabric.pattern, fabric.comparison
    names = sorted({yarn.name for yarn in fabric.yarns})
    source = (
        f"Computed from yarns, {' and '.join(names)} (sources in presets/yarns), by a periodic patch of elastic rods after "
        "Sperl, Narain and Wojtan 2020; warp and wales along U. Friction between yarns is left out, compression soon ends "
        "in a constant force. Friction and damping of the cloth are estimates."
    )
    if fabric.failed:
        source += f" Incomplete: the yarns did not come to rest at {len(fabric.failed)} states ({fabric.failed[0]} first)."
    category = pattern.about.get("category", DEFAULT_CATEGORY[pattern.kind])
    provenance = {
        "pattern": list(pattern.rows),
        "yarns": [yarn.name for yarn in fabric.yarns],
        "relaxed": [f"{name} {_short(value)} 1/m" for name, value in fabric.spacing.items()],
        "seed": seed,
        "versions": f"yarn model {VERSION}, table {TABLE}",
        "complete": not fabric.failed,
        "missing": list(fabric.failed),
    }
    lines = [
        f"name = {json.dumps(pattern.name)}",
        'kind = "fabric"',
        f"category = {json.dumps(category)}",
        'grade = "estimated"',
        f"source = {json.dumps(source)}",
        f'table = "data/{stem}.npz"',
        f"density = {_short(fabric.density)}   # kg/m^2",
        f"thickness = {_short(fabric.thickness)} # m",
        f"friction = {FRICTION}     # Coulomb coefficient",
        "",
        "[energies.hylc]",
        f"damping = {DAMPING} # s",
        "",
        "[provenance]",
        *(f"{key} = {json.dumps(value)}{' # of the jitter' if key == 'seed' else ''}" for key, value in provenance.items()),
        f"held_out = [{', '.join(str(_short(error)) for error in checks.errors)}]",
    ]
    return "\n".join(lines) + "\n"


def _short(value: float) -> float:
    """Round to four digits."""
    return float(f"{value:.4g}")
