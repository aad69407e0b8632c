"""Settings of a script that names a quality, or none."""

from dataclasses import asdict

import pytest

from solver.scene import Settings
from solver.scene.qualities import QUALITIES


def test_settings_without_arguments_are_those_of_production():
    assert Settings() == Settings.quality("production")


@pytest.mark.parametrize("name", QUALITIES)
def test_a_quality_has_the_numbers_of_the_panel(name):
    settings = Settings.quality(name.lower(), fps=30.0)
    numbers = settings.substeps, settings.iterations, 1e3 * (settings.error_tolerance or 0.0), settings.global_iterations
    assert numbers == QUALITIES[name] and settings.fps == 30


def test_what_is_given_beside_a_quality_counts():
    rough = Settings.quality("draft", substeps=7, global_iterations=0)
    assert (rough.substeps, rough.iterations, rough.global_iterations) == (7, 3, 0)


@pytest.mark.parametrize("method", ["newton", "pbng", "xpbd", "pbd"])
def test_methods_without_a_global_step_are_not_asked_for_one(method):
    """The setting is refused."""
    assert Settings(method=method).global_iterations == Settings.quality("draft", method=method).global_iterations == 0
    assert asdict(Settings(method=method)) == asdict(Settings.quality("production", method=method))
