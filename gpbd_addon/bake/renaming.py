"""Renamed objects of a bake: bodies are matched by their identity, colliders and force fields by their content, or because
no other is missing.

The solver knows places, not names; so a bake continues where bodies and colliders are in the order that they had.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..read.scene_input import World

#: Of identities, mappings by name of an object: of bodies, and others.
OF_BODIES = "bodies", "written", "manifests"
TABLES = (*OF_BODIES, "colliders", "fields")
#: Tables with names of objects; in the first two they are in alphabetical order.
SORTED = "contact", "response"
NAMING = (*SORTED, "attachments", "attached", "fields")


def as_now(then: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """Return the stored inputs of a bake, with the current names. Both are as `World.identity` or `made_from.read` gives
    them; malformed entries are unchanged."""
    names = _by_identity(then, now) | _by_content(then, now, "colliders") | _by_content(then, now, "fields")
    if not names:
        return dict(then)
    renamed = _named(dict(then), names)
    renamed = {key: _keyed(value, names) if key in TABLES else value for key, value in renamed.items()}
    for old, new in names.items():
        _call_material(renamed, now, old, new)
    return renamed


def order(world: World, then: Mapping[str, Any]) -> None:
    """Put bodies and colliders in the order of what `as_now` gives."""
    world.bodies.sort(key=_place(then, "bodies"))
    world.colliders.sort(key=_place(then, "colliders"))


def _place(then: Mapping[str, Any], table: str) -> Callable[[Any], int]:
    places = {name: k for k, name in enumerate(_table(then, table))}
    return lambda one: places.get(one.name, len(places))


def _by_identity(then: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, str]:
    """Old name -> new one, where they differ."""
    called = {str(body.get("uuid")): name for name, body in _rows(now, "bodies").items()}
    baked = {name: called.get(str(body.get("uuid"))) for name, body in _rows(then, "bodies").items()}
    return {old: new for old, new in baked.items() if new is not None and new != old}


def _by_content(then: Mapping[str, Any], now: Mapping[str, Any], table: str) -> dict[str, str]:
    """Return old name -> new one of each row equal to exactly one row with a new name; and of the only row left, which may
    have changed too."""
    before, after = _table(then, table), _table(now, table)
    gone = {name: row for name, row in before.items() if name not in after}
    new = {name: row for name, row in after.items() if name not in before}
    pairs = {}
    for old, row in gone.items():
        same = [name for name, other in new.items() if other == row]
        if len(same) == 1 and sum(other == row for other in gone.values()) == 1:
            pairs[old] = same[0]
    left, others = gone.keys() - pairs.keys(), new.keys() - pairs.values()
    return pairs | (dict(zip(left, others, strict=True)) if len(left) == len(others) == 1 else {})


def _table(of: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    rows = of.get(name)
    if isinstance(rows, list) and all(isinstance(one, str) for one in rows):
        return dict.fromkeys(rows)
    return rows if isinstance(rows, Mapping) else {}


def _rows(of: Mapping[str, Any], name: str) -> dict[str, Mapping[str, Any]]:
    return {key: row for key, row in _table(of, name).items() if isinstance(row, Mapping)}


def _keyed(table: Any, names: Mapping[str, str]) -> Any:
    return {names.get(key, key): row for key, row in table.items()} if isinstance(table, Mapping) else table


def _call_material(renamed: Mapping[str, Any], now: Mapping[str, Any], old: str, new: str) -> None:
    """A material that is no preset is called as its body."""
    then, material = (_rows(of, "bodies").get(new, {}).get("material") for of in (renamed, now))
    if isinstance(then, dict) and isinstance(material, Mapping) and (then.get("name"), material.get("name")) == (old, new):
        then["name"] = new


def _named(value: Any, names: Mapping[str, str], within: str = "") -> Any:
    """With the new names where names of objects stand. within: one of NAMING, once there."""
    if isinstance(value, Mapping):
        return {key: _named(row, names, within or (key if key in NAMING else "")) for key, row in value.items()}
    if isinstance(value, list):
        renamed = [_named(one, names, within) for one in value]
        return sorted(renamed) if within in SORTED and all(isinstance(one, str) for one in renamed) else renamed
    return names.get(value, value) if within and isinstance(value, str) else value
