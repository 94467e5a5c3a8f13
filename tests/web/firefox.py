#!/usr/bin/env python3
"""Does onestep.html open, walk, look at a number and run a line in Firefox?

usage: firefox.py ONESTEP PAGE

Asks Debian's firefox-esr, headless, over WebDriver BiDi (https://w3c.github.io/webdriver-bidi/), which needs no driver. Speaks TAP.
"""
import base64
import json
import os
import pathlib
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time


class Socket:
    """A WebSocket (RFC 6455) to this machine, for texts."""

    def __init__(self, port, path):
        self.connection = socket.create_connection(("127.0.0.1", port), timeout=120)
        key = base64.b64encode(os.urandom(16)).decode()
        self.connection.sendall((f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                 f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
        self.rest = b""
        while b"\r\n\r\n" not in self.rest:
            self.rest += self.connection.recv(4096)
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise RuntimeError(head.decode())

    def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        size = len(data)
        length = struct.pack("!B", 128 | size) if size < 126 else struct.pack("!BH", 254, size) if size < 65536 else struct.pack("!BQ", 255, size)
        self.connection.sendall(b"\x81" + length + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(data)))

    def take(self, count):
        while len(self.rest) < count:
            piece = self.connection.recv(65536)
            if not piece:
                raise EOFError("the browser has gone")
            self.rest += piece
        taken, self.rest = self.rest[:count], self.rest[count:]
        return taken

    def receive(self):
        whole, is_last = b"", False
        while not is_last:
            first, size = self.take(2)
            if size == 126:
                size, = struct.unpack("!H", self.take(2))
            elif size == 127:
                size, = struct.unpack("!Q", self.take(8))
            data = self.take(size)
            if first & 15 in (0, 1):  # not a ping
                whole, is_last = whole + data, first & 128
        return whole.decode()


class Firefox:
    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        program = shutil.which("firefox-esr") or shutil.which("firefox") or "firefox-esr"
        self.process = subprocess.Popen([program, "--headless", "--no-remote", "--profile", self.folder.name, "--remote-debugging-port", "0"],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                        env={**os.environ, "HOME": self.folder.name})
        for line in self.process.stderr:
            found = re.search(r"WebDriver BiDi listening on ws://127.0.0.1:(\d+)", line)
            if found:
                break
        else:
            raise RuntimeError("firefox does not listen")
        self.socket, self.number = Socket(int(found[1]), "/session"), 0
        self.call("session.new", capabilities={})
        self.context = self.call("browsingContext.getTree")["contexts"][0]["context"]
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(20)
        self.folder.cleanup()

    def call(self, method, **parameters):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.receive())
            if answer.get("id") == self.number:
                if answer.get("type") == "error":
                    raise RuntimeError(f"{method}: {answer['message']}")
                return answer["result"]

    def open(self, url):
        self.call("browsingContext.navigate", context=self.context, url="about:blank", wait="complete")
        self.call("browsingContext.navigate", context=self.context, url=url, wait="complete")
        self.wait("window.onestep && document.documentElement.dataset.ready !== undefined")

    def do(self, expression):
        """The value of an expression, by way of JSON; it may be a promise."""
        answer = self.call("script.evaluate", expression=f"Promise.resolve({expression}).then(JSON.stringify)", awaitPromise=True,
                           target={"context": self.context})
        if answer["type"] == "exception":
            raise RuntimeError(answer["exceptionDetails"]["text"])
        text = answer["result"].get("value")
        return json.loads(text) if text is not None else None

    def wait(self, expression, seconds=120):
        began = time.monotonic()
        while not self.do(expression):
            if time.monotonic() - began > seconds:
                raise RuntimeError(f"{expression} does not come true")

    def act(self, *sources):
        """Moves and clicks as a reader does."""
        self.call("input.performActions", context=self.context, actions=list(sources))


def pointer(*moves):
    return {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": list(moves)}


CELL = """(() => { const box = document.querySelector("#matrices td.focus").getBoundingClientRect();
    return [Math.round(box.left + box.width / 2), Math.round(box.top + box.height / 2)]; })()"""


def expect(truth, *said):
    if not truth:
        raise RuntimeError(" ".join(map(str, said))[:600])


def opens(firefox, url, onestep):
    del onestep
    firefox.open(url + "#causal/causal_weights")
    expect(firefox.do("onestep.page.said.step") == "causal_weights", firefox.do("onestep.page.said"))
    expect("Causal weights in one softmax" in firefox.do("document.body.innerText"), "no words")


def walks(firefox, url, onestep):
    del url, onestep
    firefox.do("onestep.page.open('#causal/mask_tril')")
    firefox.do("[...document.querySelectorAll('#controls button')].find(button => button.textContent.includes('Next')).click()")
    expect(firefox.do("onestep.page.turn.then(() => onestep.page.said.step)") == "masked_weights", firefox.do("onestep.page.said.step"))
    firefox.act({"type": "key", "id": "keys", "actions": [{"type": "keyDown", "value": "b"}, {"type": "keyUp", "value": "b"}]})
    firefox.wait("onestep.page.said.step === 'mask_tril'", 20)


def looks(firefox, url, onestep):
    firefox.do("onestep.page.open('#causal/scores')")
    x, y = firefox.do(CELL)
    firefox.act(pointer({"type": "pointerMove", "x": x, "y": y + 28}, {"type": "pause", "duration": 300}))
    firefox.wait("document.querySelector('#matrices .looked') !== null", 20)
    shown = firefox.do("onestep.page.face.parts.cell.firstChild.textContent")
    there = subprocess.run([onestep, "screen", "#causal/scores", "--keys", "j", "--size", "240x110"], stdout=subprocess.PIPE, text=True, check=True).stdout
    expect(shown in there, shown)
    del url


def runs(firefox, url, onestep):
    del url, onestep
    firefox.do("(() => { const field = onestep.page.find('code'); field.value = 'scores = queries @ keys.T * 2'; field.form.requestSubmit(); })()")
    expect(firefox.do("onestep.page.turn.then(() => document.querySelectorAll('#matrices .changed').length)") == 36, "nothing has changed")
    answer = firefox.do("onestep.command(onestep.page.module, ['print', 'causal', '--step', 'scores']).then(({text}) => text)")
    expect("0.2899" in answer, answer)


def main():
    onestep, url = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve().as_uri()
    tests = [opens, walks, looks, runs]
    failed = 0
    print(f"1..{len(tests)}", flush=True)
    with Firefox() as firefox:
        for number, test in enumerate(tests, 1):
            try:
                test(firefox, url, onestep)
                print(f"ok {number} {test.__name__}", flush=True)
            except (RuntimeError, EOFError) as error:
                failed += 1
                print(f"not ok {number} {test.__name__}: {error}", flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
