"""What an artist can do; one operator a file. A new one is a file and a line here."""

from __future__ import annotations

import bpy

from ...solver.device import worker
from ..bake import watch
from . import (
    add_attachment,
    add_body,
    add_to_selected,
    apply_preset,
    apply_preset_asset,
    apply_scale,
    bake,
    bake_from_here,
    bake_selected,
    bind_simulation_mesh,
    check_scene,
    choose_version,
    clear_cache,
    collect_caches,
    compile_kernels,
    contact_map,
    convert_from_blender,
    convert_to_shape_keys,
    copy_to_selected,
    drape,
    export_statistics,
    find_intersections,
    fix_finding,
    import_fabric,
    install_cuda,
    make_preset_library,
    make_simulation_mesh,
    match_render,
    move_modifier,
    mute_selected,
    name_version,
    progress,
    recover_bake,
    remove_attachment,
    remove_body,
    remove_cuda,
    remove_modifier,
    remove_simulation_mesh,
    remove_start,
    repair_cache,
    repair_mesh,
    resume,
    save_preset,
    select_loose,
    set_outer_thickness,
    set_unit_scale,
    show_statistics,
    stretch_heat_map,
    unlock_cache,
    verify_cache,
    warp_lines,
)

CLASSES = (
    add_body.GPBD_OT_add_body,
    convert_from_blender.GPBD_OT_convert_from_blender,
    add_to_selected.GPBD_OT_add_to_selected,
    copy_to_selected.GPBD_OT_copy_to_selected,
    mute_selected.GPBD_OT_mute_selected,
    remove_body.GPBD_OT_remove_body,
    make_simulation_mesh.GPBD_OT_make_simulation_mesh,
    remove_simulation_mesh.GPBD_OT_remove_simulation_mesh,
    bind_simulation_mesh.GPBD_OT_bind_simulation_mesh,
    add_attachment.GPBD_OT_add_attachment,
    remove_attachment.GPBD_OT_remove_attachment,
    apply_preset.GPBD_OT_apply_preset,
    apply_preset_asset.GPBD_OT_apply_preset_asset,
    make_preset_library.GPBD_OT_make_preset_library,
    save_preset.GPBD_OT_save_preset,
    import_fabric.GPBD_OT_import_fabric,
    check_scene.GPBD_OT_check_scene,
    fix_finding.GPBD_OT_fix_finding,
    remove_modifier.GPBD_OT_remove_modifier,
    match_render.GPBD_OT_match_render,
    move_modifier.GPBD_OT_move_modifier,
    select_loose.GPBD_OT_select_loose,
    repair_mesh.GPBD_OT_repair_mesh,
    set_unit_scale.GPBD_OT_set_unit_scale,
    apply_scale.GPBD_OT_apply_scale,
    set_outer_thickness.GPBD_OT_set_outer_thickness,
    bake.GPBD_OT_bake,
    resume.GPBD_OT_resume,
    bake_from_here.GPBD_OT_bake_from_here,
    bake_selected.GPBD_OT_bake_selected,
    choose_version.GPBD_OT_choose_version,
    name_version.GPBD_OT_name_version,
    clear_cache.GPBD_OT_clear_cache,
    collect_caches.GPBD_OT_collect_caches,
    recover_bake.GPBD_OT_recover_bake,
    unlock_cache.GPBD_OT_unlock_cache,
    verify_cache.GPBD_OT_verify_cache,
    repair_cache.GPBD_OT_repair_cache,
    compile_kernels.GPBD_OT_compile_kernels,
    install_cuda.GPBD_OT_install_cuda,
    remove_cuda.GPBD_OT_remove_cuda,
    convert_to_shape_keys.GPBD_OT_convert_to_shape_keys,
    drape.GPBD_OT_drape,
    remove_start.GPBD_OT_remove_start,
    show_statistics.GPBD_OT_show_statistics,
    export_statistics.GPBD_OT_export_statistics,
    stretch_heat_map.GPBD_OT_stretch_heat_map,
    contact_map.GPBD_OT_contact_map,
    find_intersections.GPBD_OT_find_intersections,
    warp_lines.GPBD_OT_warp_lines,
)


def register() -> None:
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister() -> None:
    watch.end_all("the extension was disabled")
    progress.end_all()
    worker.end_idle()
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
