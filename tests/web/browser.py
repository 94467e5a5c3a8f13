"""Chromium, headless, over its own protocol (--remote-debugging-pipe): pages to open, keys to press, answers to read."""
import json
import os
import shutil
import subprocess
import tempfile
import time


class Browser:
    """with Browser() as browser: page = browser.open(url)"""

    def __init__(self, program=None, *flags):
        self.program = program or shutil.which("chromium") or "chromium"
        self.flags = flags

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        here_in, self.out = os.pipe()
        self.inp, here_out = os.pipe()
        # The browser reads its descriptor 3 and writes 4.
        command = f'exec "$0" "$@" 3<&{here_in} 4>&{here_out}'
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                   "--disable-extensions", "--disable-background-networking", "--disable-component-update",
                   "--force-color-profile=srgb", "--hide-scrollbars", f"--user-data-dir={self.folder.name}",
                   "--remote-debugging-pipe", *self.flags, "about:blank"]
        self.process = subprocess.Popen(["bash", "-c", command, self.program, *options], pass_fds=(here_in, here_out),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(here_in)
        os.close(here_out)
        self.reader = os.fdopen(self.inp, "rb")
        self.number = 0
        self.events = []
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
        except (OSError, EOFError):
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.folder.cleanup()

    def read(self):
        parts = bytearray()
        while True:
            piece = self.reader.peek(1 << 16)
            if not piece:
                raise EOFError("the browser has gone")
            end = piece.find(b"\0")
            parts += self.reader.read(len(piece) if end < 0 else end + 1)
            if end >= 0:
                return json.loads(parts[:-1])

    def call(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def page(self, width=1000, height=620, scale=1, touch=False):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        return Page(self, target, width, height, scale, touch)


class Page:
    def __init__(self, browser, target, width, height, scale, touch):
        self.browser = browser
        self.target = target
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")
        self.resize(width, height, scale, touch)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def resize(self, width, height, scale=1, touch=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=touch)
        self.call("Emulation.setTouchEmulationEnabled", enabled=touch)

    def prefer(self, **features):
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": name.replace("_", "-"), "value": value} for name, value in features.items()])

    def before(self, script):
        """Runs a script in each page that is opened from now on, before its own."""
        self.call("Page.addScriptToEvaluateOnNewDocument", source=script)

    def go(self, url):
        """Goes there, and waits for nothing."""
        self.call("Page.navigate", url=url)

    def wait(self, expression, seconds=60):
        """Waits until an expression is true."""
        began = time.monotonic()
        while not self.do(expression):
            if time.monotonic() - began > seconds:
                raise RuntimeError(f"{expression} does not come true")

    def open(self, url):
        """Goes there and waits until the first screen is drawn."""
        self.go(url)
        began = time.monotonic()
        while time.monotonic() - began < 60:  # a navigation that goes on ends the script that waits
            try:
                if self.do("location.href").split("#")[0] == url.split("#")[0] and self.do(
                        "window.onestep && await onestep.ready && document.documentElement.dataset.ready !== undefined"):
                    return self
            except RuntimeError:
                pass
        raise RuntimeError(f"{url} does not open")

    def do(self, expression):
        """The value of an expression, which may await."""
        answer = self.call("Runtime.evaluate", expression=f"(async () => {{ return ({expression}); }})()", awaitPromise=True,
                           returnByValue=True, userGesture=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def frame(self, url):
        """The frame in this page that shows a file, to be asked as a page is; it may be in a process of its own."""
        began = time.monotonic()
        while time.monotonic() - began < 60:
            for target in self.browser.call("Target.getTargets")["targetInfos"]:
                if target["type"] == "iframe" and target["url"].split("#")[0] == url:
                    frame = object.__new__(Page)
                    frame.browser, frame.target = self.browser, target["targetId"]
                    frame.session = self.browser.call("Target.attachToTarget", targetId=frame.target, flatten=True)["sessionId"]
                    return frame
        raise RuntimeError(f"no frame shows {url}")

    def key(self, key, text=None, code=0):
        for kind in ("keyDown", "keyUp"):
            event = {"type": kind, "key": key, "windowsVirtualKeyCode": code}
            if kind == "keyDown" and text is not None:
                event["text"] = text
            self.call("Input.dispatchKeyEvent", **event)

    def swipe(self, places):
        """A finger that goes down at the first place, along the others, and up at the last."""
        for kind, place in zip(["touchStart", *["touchMove"] * (len(places) - 1)], places):
            self.call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": place[0], "y": place[1]}])
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def tap(self, x, y):
        for kind, points in (("touchStart", [{"x": x, "y": y}]), ("touchEnd", [])):
            self.call("Input.dispatchTouchEvent", type=kind, touchPoints=points)

    def picture(self, path):
        import base64
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def said(self, *methods):
        """What the browser told of this page since: events of these kinds."""
        self.do("1")
        return [event for event in self.browser.events
                if event.get("sessionId") == self.session and event["method"] in methods]
