"""Headless Chromium, driven over two pipes in its DevTools protocol. Needs Python's own library only."""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

ANSWER_SECONDS = 60


class Browser:
    """One browser with one page, which stays open: what is seen is what a person would have seen."""

    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="granary-console-")
        to_browser, self.out = os.pipe()
        self.inward, from_browser = os.pipe()
        # The protocol's pipes are the descriptors 3 and 4 of the browser.
        command = ["/bin/sh", "-c", f'exec 3<&{to_browser} 4>&{from_browser}; exec "$0" "$@"', program()]
        command += ["--headless", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu", "--no-sandbox",
                    "--disable-dev-shm-usage", "--disable-background-networking", "--hide-scrollbars",
                    "--no-proxy-server", f"--user-data-dir={self.profile}", "about:blank"]
        self.process = subprocess.Popen(command, pass_fds=(to_browser, from_browser), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.number = 0
        self.session = None
        self.complaints = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")

    def call(self, method, **params):
        self.number += 1
        request = {"id": self.number, "method": method, "params": params}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.out, json.dumps(request).encode() + b"\0")
        while True:
            message = self.receive()
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self.note(message)

    def receive(self):
        while b"\0" not in self.buffer:
            piece = os.read(self.inward, 1 << 20)
            if not piece:
                raise RuntimeError("the browser has ended")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def note(self, message):
        """Keeps what the page complains about: exceptions, and what the content security policy refuses."""
        params = message.get("params", {})
        if message.get("method") == "Runtime.exceptionThrown":
            self.complaints.append(params["exceptionDetails"].get("exception", {}).get("description", str(params)))
        if message.get("method") == "Runtime.consoleAPICalled" and params["type"] == "error":
            self.complaints.append(str([each.get("description", each.get("value")) for each in params["args"]]))
        if message.get("method") == "Log.entryAdded" and params["entry"]["source"] in ("security", "javascript"):
            self.complaints.append(params["entry"]["text"])

    def open(self, address, width=1280, height=1400, dark=False):
        self.size(width, height, dark)
        self.call("Page.navigate", url=address)
        self.wait(f"location.href === {json.dumps(address)} && document.readyState === 'complete'")

    def size(self, width, height, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 600)
        scheme = "dark" if dark else "light"
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def text(self, selector):
        """The text of an element as a person sees it; empty when there is none."""
        return self.value(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''")

    def wait(self, expression, seconds=30):
        """Waits until an expression of the page is true."""
        deadline = time.monotonic() + seconds
        while not self.value(expression):
            if time.monotonic() > deadline:
                raise AssertionError(f"not within {seconds} s: {expression}\nthe page says:\n"
                                     + self.value("document.body.innerText"))
            time.sleep(0.1)

    def dom(self):
        return self.value("document.documentElement.outerHTML")

    def screenshot(self, file, whole=True):
        picture = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        pathlib.Path(file).write_bytes(base64.b64decode(picture["data"]))

    def close(self):
        self.session = None
        try:
            self.call("Browser.close")
            self.process.wait(20)
        except (RuntimeError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.out)
        os.close(self.inward)
        shutil.rmtree(self.profile, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def program():
    for name in ("chromium", "chromium-browser", "google-chrome", "chrome"):
        found = shutil.which(name)
        if found:
            return found
    raise SystemExit("error: there is no Chromium; on Debian: apt-get install chromium")
