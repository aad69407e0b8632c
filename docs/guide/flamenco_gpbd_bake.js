// SPDX-License-Identifier: GPL-3.0-or-later
// A job type of Flamenco 3: bakes GPBD bodies on one worker, then renders on all. See farm.md.

const OF_FILE = "as in the file"; // Blender's menus have no empty choice

const JOB_TYPE = {
    label: "GPBD Bake",
    description: "Bake the GPBD bodies of a file, check the caches, and render it",
    settings: [
        { key: "frames", type: "string", required: true,
          eval: "f'{C.scene.gpbd.range_owner.frame_start}-{C.scene.gpbd.range_owner.frame_end}'",
          evalInfo: { showLinkButton: true, description: "Frames of the bake" },
          description: "First and last frame to bake, as 1-120" },
        { key: "cache", type: "string", subtype: "dir_path", required: true, visible: "submission",
          description: "Folder of the caches, which all workers see" },
        { key: "quality", type: "string", default: OF_FILE,
          choices: [OF_FILE, "interactive", "draft", "production", "reference", "adaptive"],
          description: "Quality of this bake" },
        { key: "objects", type: "string", default: "", description: "Bodies to bake, separated by commas; empty: all" },
        { key: "overrides", type: "string", default: "",
          description: "Settings of this bake, separated by semicolons: scene.substeps=24; Flag.preset=denim" },
        { key: "render", type: "bool", default: true, description: "Render the frames after the bake" },
        { key: "chunk_size", type: "int32", default: 10, propargs: { min: 1 }, visible: "submission",
          description: "Frames that a worker renders at once" },
        { key: "render_output_path", type: "string", subtype: "file_path", default: "", visible: "submission",
          description: "Path of the pictures, with ###### for the frame; empty: the file's" },
        { key: "blendfile", type: "string", required: true, visible: "web", description: "The .blend file" },
    ],
};

function compileJob(job) {
    const settings = job.settings;
    if (!/^-?\d+--?\d+$/.test(settings.frames)) {
        throw `frames: '${settings.frames}' is no range; wanted for example 1-120`;
    }
    if (settings.render && /^-|--/.test(settings.frames)) {
        throw `frames: '${settings.frames}' has negative frames, which Flamenco cannot render. Switch Render off, or begin at 0.`;
    }
    const bake = author.Task("bake", "blender");
    bake.addCommand(gpbd(settings, "bake", bakeArguments(settings)));
    job.addTask(bake);

    const verify = author.Task("verify", "blender");
    verify.addCommand(gpbd(settings, "verify", withObjects(settings, ["--cache", settings.cache])));
    verify.addDependency(bake);
    job.addTask(verify);

    for (const task of settings.render ? renderTasks(settings) : []) {
        task.addDependency(verify);
        job.addTask(task);
    }
}

// `blender -b FILE --command gpbd COMMAND ...`; an exit code other than 0 fails the task.
function gpbd(settings, command, more) {
    return author.Command("exec", {
        exe: "{blender}",
        args: ["-b", settings.blendfile, "--command", "gpbd", command].concat(more),
    });
}

// A task that is begun again, on any worker, goes on where the bake stopped.
function bakeArguments(settings) {
    let found = [`--frames=${settings.frames}`, "--cache", settings.cache, "--continue", "--take-over", "--json"];
    if (settings.quality && settings.quality !== OF_FILE) {
        found = found.concat(["--quality", settings.quality]);
    }
    for (const override of (settings.overrides || "").split(";")) {
        if (override.trim()) {
            found.push(`--set=${override.trim()}`);
        }
    }
    return withObjects(settings, found);
}

function withObjects(settings, found) {
    return settings.objects ? found.concat(["--objects", settings.objects]) : found;
}

function renderTasks(settings) {
    return frameChunker(settings.frames, settings.chunk_size || 1).map((chunk) => {
        const task = author.Task(`render-${chunk}`, "blender");
        const output = settings.render_output_path ? ["--render-output", settings.render_output_path] : [];
        task.addCommand(author.Command("blender-render", {
            exe: "{blender}",
            exeArgs: "{blenderArgs}",
            argsBefore: [],
            blendfile: settings.blendfile,
            args: output.concat(["--render-frame", chunk.replaceAll("-", "..")]),
        }));
        return task;
    });
}
