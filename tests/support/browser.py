"""A real browser for tests: Chromium without a screen, spoken to through a pipe in its own protocol.

No driver package is needed: messages are JSON that ends in a zero byte, on the descriptors 3 (to the browser) and 4
(from it).
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
QUIET = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--remote-debugging-pipe",
)
PATIENCE = 60.0  # seconds that an answer may take on a busy machine


def found():
    """Return the path of a browser, or None."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One process of the browser; pages are opened in it one after the other."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, self._to = os.pipe()
        self._from, from_write = os.pipe()

        def descriptors():
            spare = os.dup(to_read), os.dup(from_write)
            os.dup2(spare[0], 3)
            os.dup2(spare[1], 4)

        self._process = subprocess.Popen(
            [found(), *QUIET, f"--user-data-dir={self._folder.name}", "about:blank"],
            preexec_fn=descriptors,
            close_fds=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(from_write)
        self._rest, self._count, self.events = b"", 0, []

    def close(self):
        try:
            self.call("Browser.close")
        except (TimeoutError, OSError):
            self._process.kill()
        self._process.wait(PATIENCE)
        os.close(self._to)
        os.close(self._from)
        self._folder.cleanup()

    def _message(self, until):
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._from], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                raise TimeoutError("the browser does not answer")
            piece = os.read(self._from, 1 << 20)
            if not piece:
                raise OSError("the browser has ended")
            self._rest += piece
        text, _, self._rest = self._rest.partition(b"\0")
        return json.loads(text)

    def call(self, method, session=None, **parameters):
        """Send a command and return its answer; events that arrive meanwhile are kept."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + PATIENCE
        while True:
            answer = self._message(until)
            if answer.get("id") == self._count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)


class Tab:
    """One page, with what it complained about and asked the network for."""

    def __init__(self, browser, width=1200, height=800, phone=False, dark=False):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.target = target
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.call("Network.setCacheDisabled", cacheDisabled=True)
        self.sized(width, height, phone)
        self.preferring("dark" if dark else "light")

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)

    def preferring(self, scheme):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def sized(self, width, height, phone=False):
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=2 if phone else 1,
            mobile=phone,
        )
        self.call("Emulation.setTouchEmulationEnabled", enabled=phone, maxTouchPoints=5)

    def open(self, path):
        """Open a file and wait until the page says that it is ready."""
        self.call("Page.navigate", url=path.as_uri())
        self.wait("document.body && document.body.dataset.ready === 'yes'")

    def value(self, expression):
        """Return the value of an expression in the page; promises are awaited."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"])[:600])
        return answer["result"].get("value")

    def wait(self, expression, patience=PATIENCE):
        until = time.monotonic() + patience
        while not self.value(expression):
            if time.monotonic() > until:
                raise TimeoutError(f"waited in vain for: {expression}; {self.complaints()}")
            time.sleep(0.02)

    # -- hands -------------------------------------------------------------------------------------------------

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=float(x), y=float(y), **more)

    def click(self, x, y):
        self.mouse("mouseMoved", x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)

    def drag(self, start, end, **more):
        self.mouse("mouseMoved", *start)
        self.mouse("mousePressed", *start, button="left", clickCount=1, **more)
        middle = [(a + b) / 2 for a, b in zip(start, end, strict=True)]
        for place in (middle, end):
            self.mouse("mouseMoved", *place, button="left", buttons=1, **more)
        self.mouse("mouseReleased", *end, button="left", clickCount=1, **more)

    def key(self, key, **more):
        text = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text, **more)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, **more)

    def middle(self, selector):
        """Return the middle of an element on the screen."""
        box = f"document.querySelector({json.dumps(selector)}).getBoundingClientRect()"
        return self.value(f"(b => [b.x + b.width / 2, b.y + b.height / 2])({box})")

    # -- eyes --------------------------------------------------------------------------------------------------

    def picture(self, path=None):
        """Return a picture of the window as PNG, or save it."""
        data = base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
        if path is not None:
            path.write_bytes(data)
        return data

    def _own(self, method):
        self.value("0")  # what is under way arrives before this answer
        return [e["params"] for e in self.browser.events if e["method"] == method and e["sessionId"] == self.session]

    def complaints(self):
        """Return errors and warnings on the console, and exceptions."""
        said = [e for e in self._own("Runtime.consoleAPICalled") if e["type"] in ("error", "warning", "assert")]
        return [str(e) for e in (*said, *self._own("Runtime.exceptionThrown"), *self._own("Log.entryAdded"))]

    def requests(self):
        """Return the addresses that were asked for, other than the page itself."""
        asked = [e["request"]["url"] for e in self._own("Network.requestWillBeSent") if e.get("type") != "Document"]
        return [url for url in asked if not url.startswith(("data:", "blob:"))]
