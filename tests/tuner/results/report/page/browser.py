"""A headless Chromium that tests look through, by its debugging protocol over a pipe: no port, no package but Debian's `chromium`.

What a page says on the console, throws or asks of a network is collected from its start; `Page.requests` has every address but the
page's own."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE_S = 60


def program():
    """Where a Chromium is, or None."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Browser:
    """One process for all pages of a test; `with Browser() as browser`."""

    def __init__(self):
        self._folder = tempfile.mkdtemp(prefix="warptune-browser-")
        read_here, write_there = os.pipe()
        read_there, write_here = os.pipe()
        self._read, self._write = read_here, write_here
        self._last, self._rest, self._listeners = 0, b"", {}

        def give_pipes():  # Chromium reads its descriptor 3 and writes to 4; either end may have one of these numbers now
            first, second = os.dup(read_there), os.dup(write_there)
            first, second = os.dup2(first, 60), os.dup2(second, 61)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self._process = subprocess.Popen(
            [program(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
             "--force-color-profile=srgb", "--remote-debugging-pipe", f"--user-data-dir={self._folder}", "about:blank"],
            preexec_fn=give_pipes, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(read_there)
        os.close(write_there)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self._write)  # its end
        os.close(self._read)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def listen(self, session, listener):
        self._listeners[session] = listener

    def call(self, method, session=None, **parameters):
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        return self._answer(self._last, method)

    def _answer(self, number, method):
        end = time.monotonic() + PATIENCE_S
        while True:
            message = self._next(end, method)
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            if listener := self._listeners.get(message.get("sessionId")):
                listener(message)

    def _next(self, end, method):
        while b"\0" not in self._rest:
            if not select.select([self._read], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError(f"the browser did not answer {method}")
            piece = os.read(self._read, 1 << 20)
            if not piece:
                raise RuntimeError(f"the browser ended during {method}")
            self._rest += piece
        text, self._rest = self._rest.split(b"\0", 1)
        return json.loads(text)

    def page(self, **options):
        return Page(self, **options)


class Page:
    """A tab. Its size is in CSS pixels; `scheme` is light or dark."""

    def __init__(self, browser, width=1200, height=900, scheme="light"):
        self._browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self._target = target
        self._session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.problems, self.requests, self._address = [], [], None
        browser.listen(self._session, self._hear)
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.resize(width, height)
        self.call("Emulation.setEmulatedMedia", media="", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def call(self, method, **parameters):
        return self._browser.call(method, self._session, **parameters)

    def resize(self, width, height=900):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def _hear(self, message):
        method, data = message["method"], message["params"]
        if method == "Runtime.exceptionThrown":
            self.problems.append(data["exceptionDetails"].get("exception", {}).get("description") or data["exceptionDetails"]["text"])
        elif method == "Runtime.consoleAPICalled" and data["type"] in ("error", "warning", "assert"):
            self.problems.append(" ".join(str(a.get("value", a.get("description", ""))) for a in data["args"]))
        elif method == "Log.entryAdded" and data["entry"]["level"] in ("error", "warning"):
            self.problems.append(data["entry"]["text"])
        elif method == "Network.requestWillBeSent" and data["request"]["url"] != self._address:
            self.requests.append(data["request"]["url"])

    def open(self, file):
        self._address = "file://" + os.path.abspath(file)
        self.call("Page.navigate", url=self._address)
        self.wait("document.readyState === 'complete'")

    def evaluate(self, expression, **options):
        """A JavaScript expression's value; promises are awaited."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True, **options)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(f"{expression}: {details.get('exception', {}).get('description', details['text'])}")
        return answer["result"].get("value")

    def holds(self, expression):
        """Whether it is true; it is not while the page gives way to another one."""
        try:
            return self.evaluate(expression)
        except RuntimeError as error:
            if "Inspected target navigated" in str(error) or "context was destroyed" in str(error):
                return False
            raise

    def wait(self, expression):
        end = time.monotonic() + PATIENCE_S
        while not self.holds(expression):
            if time.monotonic() > end:
                raise TimeoutError(f"never came true: {expression}; {self.problems}")
            time.sleep(0.02)

    def settle(self):
        """Waits until every chart is drawn."""
        self.wait("window.warptune !== undefined && warptune.settled()")

    def move_mouse(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def key(self, key, code):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code)

    def show(self):
        """In front of the other tabs: only there is it drawn."""
        self.call("Page.bringToFront")

    def screenshot(self, file=None, whole=True):
        """PNG bytes, of the whole page unless told otherwise."""
        self.show()
        data = base64.b64decode(self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole, **self._clip(whole))["data"])
        if file:
            with open(file, "wb") as out:
                out.write(data)
        return data

    def _clip(self, whole):
        if not whole:
            return {}
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        return {"clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}}

    def pdf(self, file):
        data = base64.b64decode(self.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"])
        with open(file, "wb") as out:
            out.write(data)
