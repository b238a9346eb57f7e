"""A headless Chromium with a home of its own, driven by the DevTools protocol over a pipe."""

import base64
import fcntl
import io
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import tempfile
import time

PROGRAMS = ("chromium", "chromium-headless-shell", "chromium-browser", "google-chrome")
OPTIONS = ("--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--disable-gpu", "--disable-dev-shm-usage",
           "--disable-breakpad", "--disable-crash-reporter", "--disable-background-networking", "--disable-sync",
           "--disable-component-update", "--disable-extensions", "--no-first-run", "--no-default-browser-check",
           "--hide-scrollbars", "--force-device-scale-factor=1", "--password-store=basic")
PATIENCE = 240  # seconds for one answer, on a machine that does much else
END = b"\0"


def find():
    """The program's path, or None."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)


class Chromium:
    """One page. `events` holds all that it has told, in order, as (method, parameters)."""

    def __init__(self, program):
        self.home = tempfile.mkdtemp(prefix="heddle-chromium-")
        to_child, self.to = (fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 20) for end in self.pipe())
        self.at, from_child = (fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 20) for end in self.pipe())
        self.log = open(os.path.join(self.home, "log"), "wb")
        environment = {**os.environ, "HOME": self.home, "TMPDIR": self.home, "XDG_CONFIG_HOME": self.home,
                       "XDG_CACHE_HOME": self.home, "DBUS_SESSION_BUS_ADDRESS": "disabled:"}
        self.process = subprocess.Popen(
            [program, *OPTIONS, f"--user-data-dir={self.home}/profile", "about:blank"], env=environment,
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, pass_fds=(3, 4), start_new_session=True,
            preexec_fn=lambda: (os.dup2(to_child, 3), os.dup2(from_child, 4)))
        for end in (to_child, from_child, *self.low):
            os.close(end)
        self.events, self.answers, self.received, self.number, self.session = [], {}, b"", 0, None

    def pipe(self):
        ends = os.pipe()
        self.low = [*getattr(self, "low", []), *ends]
        return ends

    def __enter__(self):
        try:
            self.attach()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def attach(self):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method, **parameters):
        """The answer's result. Throws RuntimeError."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + END
        while data:
            data = data[os.write(self.to, data):]
        self.listen(lambda: self.number in self.answers)
        answer = self.answers.pop(self.number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def listen(self, done):
        """Takes what the browser says until `done`."""
        deadline = time.monotonic() + PATIENCE
        while not done():
            if not select.select([self.at], [], [], max(0, deadline - time.monotonic()))[0]:
                raise RuntimeError("chromium says nothing")
            data = os.read(self.at, 1 << 20)
            if not data:
                raise RuntimeError("chromium has ended: " + pathlib.Path(self.log.name).read_text(errors="replace"))
            *messages, self.received = (self.received + data).split(END)
            for message in map(json.loads, messages):
                if "id" in message:
                    self.answers[message["id"]] = message
                else:
                    self.events.append((message["method"], message.get("params", {})))

    def told(self, *methods):
        return [parameters for method, parameters in self.events if method in methods]

    def open(self, url, width, height=900):
        """Loads a page in a window of that size; what was told of an earlier one is forgotten."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 600)
        self.events.clear()
        self.call("Page.navigate", url=url)
        self.listen(lambda: self.told("Page.loadEventFired"))
        self.value("Promise.all([...document.images].map(image => image.decode())).then(() => true)")

    def value(self, expression):
        """What JavaScript makes of it, as JSON."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def screenshot(self, rectangle=None):
        """PNG of a rectangle (x, y, width, height) of the page, or of all of it."""
        whole = self.call("Page.getLayoutMetrics")["cssContentSize"]
        x, y, width, height = rectangle or (0, 0, whole["width"], whole["height"])
        clip = {"x": x, "y": y, "width": width, "height": height, "scale": 1}
        shot = self.call("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)
        return base64.b64decode(shot["data"])

    def pixels(self, rectangle=None):
        """The same as an array of rows of pixels of (red, green, blue)."""
        import matplotlib.image
        return matplotlib.image.imread(io.BytesIO(self.screenshot(rectangle)), format="png")[:, :, :3]

    def close(self):
        """Ends the browser and removes its home."""
        for end in (self.to, self.at):
            os.close(end)  # it ends where nobody drives it any more
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)  # the session that this object started, helpers included
        except ProcessLookupError:
            pass
        self.process.wait()
        self.log.close()
        while self.living():  # helpers, on their way out
            time.sleep(0.05)
        shutil.rmtree(self.home)

    def living(self):
        """Processes of the browser's session that have not ended."""
        found = []
        for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                state, _, group, session = status.read_text().rpartition(")")[2].split()[:4]
            except OSError:
                continue  # ended meanwhile
            if str(self.process.pid) in (group, session) and state not in "ZX":
                found.append(status.parent.name)
        return found
