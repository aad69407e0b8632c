"""Kept samples of a fabric: intact ones are read again, damaged or foreign ones are computed again and named."""

import numpy as np
import pytest

from solver.errors import PresetError
from solver.yarn.compute import StoredSampler
from solver.yarn.stored_samples import SampleStore, damage_sentence, forget

VERTICES = 7
#: Request to a sampler, and its result.
QUESTIONS = {
    "chain": ([], 0, [0.1, 0.2, 0.3], (0.0, 1e-4), np.arange(3.0)),
    "straight": ([0.1, 0.0, 0.0, 50.0, 0.0], 4),
    "reach": (0,),
}


def answer(method):
    random = np.random.default_rng(len(method))
    if method != "chain":
        return {"straight": (0.25, True), "reach": 0.125}[method]
    return {
        "energy": random.random(3), "slopes": random.random((3, 5)), "good": np.array([True, True, False]),
        "q": np.concatenate([random.random((2, VERTICES, 4)), np.full((1, VERTICES, 4), np.nan)]),
    }  # fmt: skip


def same(a, b):
    """Bit for bit; where a sample has not come to rest it has numbers that are not finite."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(np.array_equal(a[key], b[key], equal_nan=True) for key in a)
    return a == b


def of(folder, patch=b"patch"):
    return SampleStore(folder, patch, VERTICES)


def written(folder, method="chain", patch=b"patch", **changes):
    """Write the file of a result, some of its arrays changed."""
    before = set(folder.glob("*")) if folder.is_dir() else set()
    found = answer(method)
    of(folder, patch).write(method, QUESTIONS[method], found | changes if changes else found)
    (file,) = set(folder.glob("*")) - before
    return file


@pytest.mark.parametrize("method", QUESTIONS)
def test_what_was_kept_is_read_again_by_the_same_patch_alone(tmp_path, method):
    assert of(tmp_path).read(method, QUESTIONS[method]) is None
    written(tmp_path, method)
    here, other = of(tmp_path), of(tmp_path, b"another patch")
    assert same(here.read(method, QUESTIONS[method]), answer(method))
    assert other.read(method, QUESTIONS[method]) is None and here.read(method, (*QUESTIONS[method][:-1], 9)) is None
    assert not here.damaged and not other.damaged


def zeros(file):
    file.write_bytes(bytes(file.stat().st_size))


def short(file):
    file.write_bytes(file.read_bytes()[:-30])


def flipped(file):
    content = bytearray(file.read_bytes())
    place = content.find(answer("chain")["energy"].tobytes())
    content[place] ^= 1
    file.write_bytes(content)


def renamed(file):
    """A file of another patch under this one's name."""
    other = written(file.parent, patch=b"another patch")
    file.write_bytes(other.read_bytes())


def a_list(file):
    with file.open("wb") as stream:
        np.save(stream, np.zeros(3))


def pickled(file):
    np.savez(file, of=np.array([{}], object))


def forged(**changes):
    """Whole, with the right name in it, and with numbers that no sampler gives."""

    def damage(file):
        file.unlink()
        written(file.parent, **changes)

    return damage


WRONG = {
    "zeros": zeros,
    "short": short,
    "empty": lambda file: file.write_bytes(b""),
    "flipped": flipped,
    "text": lambda file: file.write_text("no sample"),
    "renamed": renamed,
    "a list": a_list,
    "pickled": pickled,
    "folder": lambda file: (file.unlink(), file.mkdir()),
    "nan": forged(energy=np.array([0.0, np.nan, 0.0])),
    "fewer states": forged(energy=np.zeros(2)),
    "fewer vertices": forged(q=np.zeros((3, VERTICES - 1, 4))),
    "texts": forged(slopes=np.full((3, 5), "a")),
    "more": forged(more=np.zeros(3)),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_damaged_or_anothers_is_named_and_not_used(tmp_path, wrong):
    file = written(tmp_path)
    WRONG[wrong](file)
    kept = of(tmp_path)
    assert kept.read("chain", QUESTIONS["chain"]) is None and kept.damaged == [file.name]
    sentence = damage_sentence(tuple(kept.damaged))
    assert file.name in sentence and "another fabric: 1 (" in sentence


def test_chance_damage_is_seen(tmp_path):
    """A file has a checksum of each array: whatever 300 changes of its bytes do, the read samples are the written ones, or
    none. Half of them have to be seen, or they would not reach what counts."""
    file = written(tmp_path)
    content = file.read_bytes()
    for seed in range(300):
        chance = np.random.default_rng(seed)
        bad = bytearray(content[: chance.integers(len(content))] if seed % 3 == 0 else content)
        for place in chance.integers(len(bad), size=3 if len(bad) else 0):
            bad[place] = chance.integers(256)
        file.write_bytes(bad)
        kept = of(tmp_path)
        found = kept.read("chain", QUESTIONS["chain"])
        assert (found is None) == bool(kept.damaged) and (found is None or same(found, answer("chain"))), seed


class Samplers:
    """Stand-in for samplers that records its requests."""

    def __init__(self):
        self.asked = []

    def results(self, method, questions, take):
        self.asked += [method] * len(questions)
        for number, _ in enumerate(questions):
            take(number, answer(method))
        return [answer(method) for _ in questions]


def test_only_what_is_damaged_is_computed_again(tmp_path):
    first = StoredSampler(Samplers(), of(tmp_path))
    for method, question in QUESTIONS.items():
        first(method, [question])
    files = sorted(tmp_path.glob("*"))
    assert first.samplers.asked == list(QUESTIONS) and len(files) == 3
    short(files[0])
    again = StoredSampler(Samplers(), of(tmp_path))
    assert all(same(again(method, [question])[0], answer(method)) for method, question in QUESTIONS.items())
    assert len(again.samplers.asked) == 1 and again.kept.damaged == [files[0].name]
    third = StoredSampler(Samplers(), of(tmp_path))
    assert all(same(third(method, [question])[0], answer(method)) for method, question in QUESTIONS.items())
    assert not third.samplers.asked and not third.kept.damaged


def test_files_that_are_not_samples_stay(tmp_path):
    folder = tmp_path / ".own.samples"
    written(folder)
    (folder / f"{24 * 'a'}.123.part").write_bytes(b"of a run that was killed")
    (folder / "notes.txt").write_text("mine")
    forget(folder)
    assert [file.name for file in folder.iterdir()] == ["notes.txt"]
    (folder / "notes.txt").unlink()
    forget(folder)
    forget(folder)
    assert not folder.exists()


def test_a_folder_that_cannot_be_used_is_named(tmp_path):
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(PresetError, match=r"taken: samples cannot be kept there .*\. Choose another"):
        of(tmp_path / "taken")
    kept = of(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(PresetError, match="gone: samples cannot be kept there"):
        kept.write("reach", (0,), 0.1)
