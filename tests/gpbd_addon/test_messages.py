"""Every message that an artist can meet says what to do first, in two lines, and has its entry in Troubleshooting."""

import ast
import re

from tests.guards import sources

PAGE = sources.ROOT / "docs/guide/troubleshooting.md"
#: Only scripts, the command line, and who writes energies meet the messages of these files; their own pages have them.
SCRIPTS = (
    "gpbd_addon/command_line/", "solver/contact/surfaces/collider_tables.py", "solver/device/", "solver/methods/xpbd.py",
    "solver/model/bodies/__init__.py", "solver/paths.py", "solver/scene/", "solver/simulation.py",
    "solver/stepping/poses.py",
)  # fmt: skip
#: Of files in `SCRIPTS`, what artists meet; and of others, what only scripts meet.
MET = ("solver/scene/presets.py", "solver/scene/checks.py", "solver/device/cuda/probe.py", "solver/device/cuda/packages.py")
MET += ("solver/device/cuda/choice.py", "solver/device/cuda/failures.py", "solver/device/cuda/install.py")
UNMET = (
    "Tie from", "Settle: the scene was unstable", "Swap two of its corners", "tetrahedra are duplicates",
    "a lattice with edges of", "two fields are named", "Two objects of the scene are named", "fill method is",
    "tetrahedra have edges of", "triangles have shape", "triangles name vertices outside", "Give what `snapshot` returned",
    "acts on a {noun}", "Give it a mesh with faces", "Remove or move it", "Computed from yarns",
    "the simulation begins at the mesh again", "signed_distance returns shapes", "a collider that is a shape",
    "elements that change", "which needs elements that stay",
)  # fmt: skip
#: The finding, then the remedy: at least two sentences, of which the last ends the text or is filled in.
MESSAGE = re.compile(r".*[.)'}] [A-Z{].*[.}]", re.DOTALL)


def template(node):
    """Return the text of a string, with its placeholders as in its source: "{name}: has {n} vertices." """
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        parts = (part.value if isinstance(part, ast.Constant) else f"{{{ast.unparse(part.value)}}}" for part in node.values)
        return "".join(parts)
    return None


def texts(path):
    """The strings of a file but for docstrings and parts of others."""
    tree = sources.tree(path)
    quiet = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            quiet |= {id(part) for part in ast.walk(node)} - {id(node)}
    for node in ast.walk(tree):
        text = template(node) if id(node) not in quiet else None
        if text is not None:
            yield text


def messages():
    """File and text of every message that artists meet."""
    for path in sources.files("solver", "gpbd_addon"):
        name = sources.name(path)
        if name.startswith(SCRIPTS) and name not in MET:
            continue
        for text in texts(path):
            if MESSAGE.fullmatch(text) and len(words(text)) > 4 and not any(phrase in text for phrase in UNMET):
                yield name, text


def words(text):
    """Return the words of a text, without its placeholders."""
    return re.findall(r"[A-Za-z]{2,}", re.sub(r"\{[^}]*\}", " ", text))


def entries():
    """The phrases in quotes of the first columns of the page's tables."""
    rows = [line.split(" | ")[0] for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith('| "')]
    return [phrase for row in rows for phrase in re.findall(r'"([^"]+)"', row)]


FOUND = list(messages())


def test_what_the_add_on_raises_is_among_the_messages_that_are_found():
    """They are found by how they read, so that warnings are among them; none that is raised may read otherwise."""
    known = {text for _, text in FOUND}
    for path in sources.files("gpbd_addon/read", "gpbd_addon/bake", "gpbd_addon/maps", "gpbd_addon/operators"):
        for node in ast.walk(sources.tree(path)):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
                text = template(node.exc.args[0])
                assert text is None or text in known or text.endswith(": {error}"), f"{sources.name(path)}: {text}"
    assert len(FOUND) > 100


def test_every_message_has_its_entry_in_troubleshooting():
    told = entries()
    assert not [f"{name}: {text}" for name, text in FOUND if not any(phrase in text for phrase in told)]


def test_every_entry_is_of_a_message():
    said = [text for path in sources.files("solver", "gpbd_addon") for text in texts(path)]
    assert not [phrase for phrase in entries() if not any(phrase in text for text in said)]


def test_a_message_is_told_in_two_lines_what_to_do_first(extension):
    from gpbd.gpbd_addon.messages import two_lines

    text = "Flag: 14 edges have more than two faces; wanted at most two. Split them, then bake again. Frames are kept."
    assert two_lines(text) == ["Flag: split them, then bake again. Frames are kept", text.partition(". ")[0]]
    assert two_lines(text, 50)[1] == "Flag: 14 edges have more than two faces"
    assert two_lines("Not baked.") == ["Not baked"]
    assert all(len(line) <= 30 for line in two_lines(text, 30))


def test_what_is_left_out_of_two_lines_goes_to_the_console(extension, capsys):
    from gpbd.gpbd_addon import messages

    told = []

    class Operator:
        def report(self, level, text):
            told.append((level, text))

    messages.report(Operator(), "ERROR", "Flag: is a lamp. Take a mesh.")
    assert told == [({"ERROR"}, "Take a mesh. \nFlag: is a lamp")] and not capsys.readouterr().out
    messages.report(Operator(), "WARNING", f"Flag: is a lamp; wanted {'a mesh' * 30}. Take one.")
    assert told[1] == ({"WARNING"}, "Take one. Flag: is a lamp") and "wanted a mesh" in capsys.readouterr().out


def test_the_two_lines_of_a_message_fit_a_window(extension):
    """Only names and numbers, which are filled in, may be too long."""
    from gpbd.gpbd_addon.messages import two_lines

    owns = [(name, re.sub(r"\{[^}]*\}", "", text)) for name, text in FOUND]
    assert not [name for name, own in owns if two_lines(own) != two_lines(own, longest=1000)]
