"""The chapter of the settings tells of those that there are."""

from __future__ import annotations

import re

from gradcli.cli.project import setting_values

from .write_settings import PAGE, page


def test_the_chapter_is_as_it_was_written() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


def test_every_setting_is_in_it() -> None:
    assert set(re.findall(r"(?m)^\| `([\w-]+)`", page())) == set(setting_values.PROJECT)
