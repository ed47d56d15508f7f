# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A page in headless Chromium, which is spoken to through two pipes: nothing but Python's own library is needed."""
import base64
import json
import os
import subprocess


class Browser:
    """One tab. `messages`: what the page has said to the console, and errors; `requests`: what it has asked for."""

    def __init__(self, folder):
        self.number, self.messages, self.requests, self.events = 0, [], [], []
        from_us, to_browser = os.pipe()
        from_browser, to_us = os.pipe()
        flags = "--headless --no-sandbox --disable-gpu --hide-scrollbars --remote-debugging-pipe --no-first-run".split()

        def hand_over():
            # Through higher numbers, so that neither pipe is closed by the other one's move.
            low, high = os.dup2(from_us, 20), os.dup2(to_us, 21)
            os.dup2(low, 3)
            os.dup2(high, 4)

        command = ["chromium", *flags, f"--user-data-dir={folder}", "about:blank"]
        nowhere = subprocess.DEVNULL
        self.process = subprocess.Popen(command, close_fds=False, preexec_fn=hand_over, stdout=nowhere, stderr=nowhere)
        os.close(from_us)
        os.close(to_us)
        self.out, self.input = os.fdopen(to_browser, "wb", 0), os.fdopen(from_browser, "rb", 1 << 16)
        self.rest, self.session = b"", None
        target = next(t for t in self.ask("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.ask("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(domain + ".enable")
        errors = "addEventListener('error', (event) => console.error(event.message))"  # of observers, too
        self.ask("Page.addScriptToEvaluateOnNewDocument", source=errors)

    def receive(self):
        while b"\0" not in self.rest:
            part = os.read(self.input.fileno(), 1 << 20)
            if not part:
                raise RuntimeError("the browser has ended")
            self.rest += part
        text, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(text)
        method, told = message.get("method"), message.get("params", {})
        if method == "Runtime.consoleAPICalled":
            self.messages.append(" ".join(str(a.get("value", a.get("description"))) for a in told["args"]))
        elif method == "Runtime.exceptionThrown":
            details = told["exceptionDetails"]
            self.messages.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded":
            self.messages.append(told["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(told["request"]["url"])
        elif method:
            self.events.append(method)
        return message

    def ask(self, method, **parameters):
        self.number += 1
        question = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            question["sessionId"] = self.session
        self.out.write(json.dumps(question).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def size(self, width, height):
        is_phone = width < 600
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=is_phone)

    def scheme(self, name):
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def open(self, path):
        self.events.clear()
        self.ask("Page.navigate", url="file://" + path)
        while "Page.loadEventFired" not in self.events:
            self.receive()
        self.run("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")

    def run(self, script):
        result = self.ask("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"].get("exception", {}).get("description", script))
        return result["result"].get("value")

    def press(self, key):
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
        text = {"text": "\r"} if key == "Enter" else {"text": key} if len(key) == 1 else {}
        told = {"key": key, "windowsVirtualKeyCode": codes.get(key, ord(key[0]))}
        self.ask("Input.dispatchKeyEvent", type="keyDown", **told, **text)
        self.ask("Input.dispatchKeyEvent", type="keyUp", **told)

    def picture(self, path):
        extent = self.run("({width: innerWidth, height: Math.min(document.documentElement.scrollHeight, 6000)})")
        shot = self.ask("Page.captureScreenshot", captureBeyondViewport=True, clip={"x": 0, "y": 0, **extent, "scale": 1})
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))

    def close(self):
        self.ask("Browser.close")
        self.process.wait()
