"""The console of a real cluster while storage peers are killed and drained, and a super-peer is killed."""

import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request

from browser import Browser

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURES = pathlib.Path(__file__).parent / "target"
CHUNKS = 2_000_000


def granary(*arguments):
    """Runs a command to its end and returns what it prints."""
    done = subprocess.run([ROOT / "granary", *map(str, arguments)], capture_output=True, text=True, timeout=300,
                          check=False, env={**os.environ, "GRANARY_BUILD": "never"})
    if done.returncode != 0:
        raise AssertionError(f"granary {arguments} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
    return done.stdout


def get(address):
    """The code, the headers and the text of an answer."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(address, timeout=10) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.headers, refusal.read().decode()


class ClusterTest(unittest.TestCase):
    def setUp(self):
        PICTURES.mkdir(exist_ok=True)
        folder = tempfile.TemporaryDirectory(prefix="granary-console-")
        self.addCleanup(folder.cleanup)
        self.directory = pathlib.Path(folder.name) / "cluster"
        self.addCleanup(self.down)

    def up(self, *arguments, super_peers=3, storage_peers=4):
        return granary("up", "--dir", self.directory, "--super-peers", super_peers, "--storage-peers", storage_peers,
                       "--memory", "256Mi", "--port", 0, *arguments)

    def down(self):
        if (self.directory / "cluster.json").exists():
            granary("down", "--dir", self.directory, "--wipe")

    def node(self, name):
        nodes = json.loads((self.directory / "cluster.json").read_text())["nodes"]
        return next(each for each in nodes if each["name"] == name)

    def kill(self, name):
        os.kill(self.node(name)["pid"], signal.SIGKILL)

    def console(self, name):
        return f"http://127.0.0.1:{self.node(name)['httpPort']}/console/"

    def seen(self, words, seconds=60):
        self.browser.wait(f"document.querySelector('#seen').innerText.includes({json.dumps(words)})", seconds)

    def all_well(self, seconds=120):
        self.browser.wait("[...document.querySelectorAll('#verdict li')].every((one) => one.dataset.level === 'good')"
                          " && document.querySelector('#link').dataset.state === 'live'", seconds)

    def picture(self, name):
        self.browser.screenshot(PICTURES / f"cluster-{name}.png")
        (PICTURES / f"cluster-{name}.html").write_text(self.browser.dom())

    def test_console_ofALocalCluster_showsEachFaultAndItsEnd(self):
        said = self.up()
        address = self.console("super-peer-0")
        self.assertEqual(re.search(r"console: +(\S+)", said).group(1), address)
        self.assertEqual(get(address)[1]["Content-Security-Policy"].split(";")[0], "default-src 'self'")
        granary("create", "--size", 32, "--count", CHUNKS, "--dir", self.directory)
        with Browser() as self.browser:
            self.watch(address)
            self.assertEqual(self.browser.complaints, [])

    def watch(self, address):
        browser = self.browser
        browser.open(address)
        browser.wait(f"Number(document.querySelector('#chunks').textContent.replaceAll(',', '')) >= {CHUNKS}")
        self.all_well()
        self.assertEqual(browser.text("#live"), "4 of 4")
        self.picture("well")
        with self.subTest("a storage peer is killed"):
            self.kill("storage-1")
            # It is shown as expired as long as anything is its: for a second or two.
            browser.wait("/storage-1\\) is (expired|left)/.test(document.querySelector('#seen').innerText)")
            self.picture("killed")
            browser.screenshot(PICTURES / "console.png", whole=False)
            browser.wait("parseInt(document.querySelector('#recovered').textContent) > 0", 120)
            browser.wait("document.querySelector('#live').textContent === '3 of 3'", 180)
            browser.wait("document.querySelector('#zones-recovering').textContent === '0'")
            # The missed one may come back, so three copies stay wanted, and three storage peers can have two.
            self.assertIn("with fewer copies than wanted", browser.text("#verdict"))
            self.assertEqual(browser.text("#zones-lost"), "0")
            self.picture("recovered")
        with self.subTest("it comes back"):
            self.up()
            self.seen("(storage-1) has started again")
            browser.wait("document.querySelector('#live').textContent === '4 of 4'")
            self.all_well()
        with self.subTest("another one is drained, as before a scale-in"):
            drained = next(each["nid"] for each in json.loads(get(address + "data")[2])["status"]["storagePeers"]
                           if each["name"] == "storage-2")
            drain = subprocess.Popen([ROOT / "granary", "drain", drained, "--dir", self.directory],
                                     stdout=subprocess.DEVNULL, env={**os.environ, "GRANARY_BUILD": "never"})
            self.addCleanup(drain.kill)
            self.seen("(storage-2): drain running")
            self.picture("drain")
            self.assertEqual(drain.wait(240), 0)
            self.seen("(storage-2): drain done")
            browser.wait(f"document.querySelector('#plans').innerText.includes('drain {drained}')")
            self.all_well()
        with self.subTest("a super-peer is killed: this page's own one"):
            self.kill("super-peer-0")
            browser.wait("document.querySelector('#link').dataset.state === 'stale'")
            self.assertIn("cannot be reached", browser.text("#link"))
            browser.open(self.console("super-peer-1"))
            browser.wait("document.querySelector('#verdict').innerText.includes('No answer within half a second')")
            self.assertIn("0x0001 (super-peer-0)", browser.text("#verdict"))
            browser.wait("document.querySelectorAll('.arc[data-served=other]').length === 1")
            self.picture("super-peer")
        with self.subTest("it comes back, and so does the page"):
            self.up()
            self.all_well()

    def test_console_putOff_saysHowToHaveIt(self):
        said = self.up("--set", "console=false", super_peers=1, storage_peers=1)
        self.assertNotIn("console:", said)
        code, _, words = get(self.console("super-peer-0"))
        self.assertEqual(code, 404)
        self.assertIn("console=true", words)


if __name__ == "__main__":
    unittest.main()
