"""A headless Chromium, told through a pipe what to do, and asked for what a page says, logs and wants to load."""

from __future__ import annotations

import functools
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
)  # fmt: skip
# A browser that says nothing for so long is not going to.
_PATIENCE = 60.0


@functools.cache
def found() -> str | None:
    """The program, where there is one."""
    return next((path for name in _NAMES if (path := shutil.which(name))), None)


needs_browser = pytest.mark.skipif(found() is None, reason="no Chromium is installed: pages are not opened")


class Browser:
    """One page, and what came of it."""

    def __init__(self, to: int, answers: int) -> None:
        self._to, self._answers = to, answers
        self._left = b""
        self._number = 0
        self._session: str | None = None
        self.errors: list[str] = []
        self.requests: list[str] = []
        self._loaded = False

    def start(self) -> None:
        """Open an empty page, and listen to it."""
        target = self._send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._send(f"{domain}.enable")

    def open(self, path: Path, fragment: str = "") -> None:
        """Show a file from the beginning."""
        # An address that differs by its fragment alone would not be loaded anew.
        self._go("about:blank")
        self.errors.clear()
        self.requests.clear()
        self._go(path.as_uri() + fragment)

    def _go(self, url: str) -> None:
        self._loaded = False
        self._send("Page.navigate", url=url)
        while not self._loaded:
            self._read()

    def ask(self, expression: str) -> Any:
        """The value of an expression of JavaScript in the page."""
        answer = self._send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, *keys: str) -> None:
        """Press keys one after another, and let the page draw."""
        for key in keys:
            text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
            for kind in ("keyDown", "keyUp"):
                self._send("Input.dispatchKeyEvent", type=kind, key=key, **(text if kind == "keyDown" else {}))
        self.ask("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def look(self, *, dark: bool = False, width: int = 1280, height: int = 800) -> None:
        """Be a screen of a size and a theme."""
        theme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._send("Emulation.setEmulatedMedia", features=[theme])
        self._send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )

    def picture(self) -> bytes:
        """What is seen, as PNG."""
        import base64

        return base64.b64decode(self._send("Page.captureScreenshot")["data"])

    def _send(self, method: str, **parameters: Any) -> Any:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]

    def _read(self) -> dict[str, Any]:
        """The next message; what is told of the page is noted."""
        end = time.monotonic() + _PATIENCE
        while b"\0" not in self._left:
            assert select.select([self._answers], [], [], max(0.0, end - time.monotonic()))[0], "the browser is silent"
            some = os.read(self._answers, 1 << 20)
            assert some, "the browser has ended"
            self._left += some
        first, _, self._left = self._left.partition(b"\0")
        message: dict[str, Any] = json.loads(first)
        told = message.get("params", {})
        match message.get("method"):
            case "Page.loadEventFired":
                self._loaded = True
            case "Runtime.exceptionThrown":
                self.errors.append(str(told["exceptionDetails"]))
            case "Runtime.consoleAPICalled":
                self.errors.append(str(told["args"]))
            case "Log.entryAdded":
                self.errors.append(str(told["entry"]))
            case "Network.requestWillBeSent":
                self.requests.append(told["request"]["url"])
        return message


@contextmanager
def browser() -> Iterator[Browser]:
    """A browser with an empty profile."""
    program = found()
    assert program is not None
    to_read, to = os.pipe()
    answers, to_write = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        shell = f'exec "$0" "$@" 3<&{to_read} 4>&{to_write}'
        process = subprocess.Popen(
            ["bash", "-c", shell, program, *_OPTIONS, f"--user-data-dir={profile}", "about:blank"],
            pass_fds=(to_read, to_write), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        os.close(to_read)
        os.close(to_write)
        try:
            page = Browser(to, answers)
            page.start()
            yield page
        finally:
            process.kill()
            process.wait()
            os.close(to)
            os.close(answers)
