"""The page of the console in a real browser, with data that these tests make up."""

import pathlib
import time
import unittest

import recorded
from browser import Browser

PICTURES = pathlib.Path(__file__).parent / "target"

# The contrast of two colours by WCAG, of the texts of a selector with the first background behind each.
CONTRAST = """(selector) => {
    const channels = (colour) => {
        const canvas = new OffscreenCanvas(1, 1).getContext('2d');
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const light = (colour) => {
        const [r, g, b] = channels(colour).map((each) => each / 255)
            .map((each) => (each <= 0.03928 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const behind = (node) => {
        const colour = getComputedStyle(node).backgroundColor;
        return channels(colour)[3] > 0 || node.parentElement === null ? colour : behind(node.parentElement);
    };
    return Math.min(...[...document.querySelectorAll(selector)].map((node) => {
        const both = [light(getComputedStyle(node).color), light(behind(node))].sort((a, b) => b - a);
        return (both[0] + 0.05) / (both[1] + 0.05);
    }));
}"""


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        PICTURES.mkdir(exist_ok=True)
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def setUp(self):
        self.server = recorded.Server()
        self.browser.complaints.clear()

    def tearDown(self):
        self.browser.call("Page.navigate", url="about:blank")
        self.server.close()
        self.assertEqual(self.browser.complaints, [])

    def open(self, **how):
        self.browser.open(self.server.address, **how)
        self.await_state("live")

    def await_state(self, state, seconds=30):
        self.browser.wait(f"document.querySelector('#link')?.dataset.state === '{state}'", seconds)

    def show(self, data):
        self.server.data = data
        self.browser.wait(f"document.querySelector('#zones-lost').textContent === '{data['status']['zones']['lost']}'"
                          f" && document.querySelectorAll('#storage tr').length"
                          f" === {len(data['status']['storagePeers'])}")

    def picture(self, name):
        time.sleep(1.2)  # until what moves to its new length has come there
        self.browser.screenshot(PICTURES / f"page-{name}.png")

    def test_page_nothingIsWrong_saysSo(self):
        self.open()
        self.assertEqual(self.browser.text("#verdict"), "All zones have their owner and their copies.")
        self.assertEqual(self.browser.text("#live"), "4 of 4")
        self.assertEqual(self.browser.text("#headroom"), "one peer")
        self.assertEqual(self.browser.text("#recoveries"), "No zone is being recovered.")
        self.assertIn("41,200/s", self.browser.text("#storage"))
        self.assertIn("founded", self.browser.text("#seen"))
        self.assertEqual(self.browser.value("document.querySelectorAll('#ring .store').length"), 4)
        self.picture("well")

    def test_page_muchIsWrong_saysWhatAndWhere(self):
        self.open()
        self.show(recorded.trouble())
        said = self.browser.text("#verdict")
        for words in ("1 zone lost", "0x8001 (super-peer-1)", "Without a lease: storage peer 0x8000 (storage-0)",
                      "creates are refused: storage peer 0xc000", "64 zones with fewer copies", "35 zones without",
                      "1 plan running"):
            self.assertIn(words, said)
        self.assertTrue(self.browser.value("document.title").startswith("! "))
        self.assertIn("0x8000/2\tnot decided", self.browser.text("#recoveries"))
        self.assertIn("0x4000 0xc000", self.browser.text("#recoveries"))
        self.assertIn("drain 0x4000", self.browser.text("#plans tr:first-child"))
        self.assertIn("13 of 40", self.browser.text("#plans tr:first-child"))
        self.assertIn("0x4000/17", self.browser.text("#migrations"))
        seen = self.browser.text("#seen")
        for words in ("Storage peer 0x8000 (storage-0) is expired", "recovery begins", "1 zone lost", "drain running",
                      "Super-peer 0x8001 (super-peer-1) does not answer", "Plan 0x4000/2 (drain 0x4000) is running"):
            self.assertIn(words, seen)
        self.assertEqual(self.browser.value("document.querySelectorAll('.flow[data-kind=recovery]').length"), 2)
        self.assertEqual(self.browser.value("document.querySelectorAll('.arc[data-served=other]').length"), 1)
        self.picture("trouble")

    def test_page_sameDataAgain_nothingIsWritten(self):
        self.open()
        self.browser.value("""
            window.changes = [];
            new MutationObserver((all) => window.changes.push(...all.map((one) => one.target.id || one.target.tagName)))
                .observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
            window.firstRow = document.querySelector('#storage tr');""")
        self.server.data = recorded.well("2026-01-01T10:00:01Z")
        time.sleep(3)
        self.assertEqual(self.browser.value("window.changes"), [])
        self.show(recorded.trouble())
        self.assertTrue(self.browser.value("window.firstRow === document.querySelector('#storage tr')"))
        self.assertNotEqual(self.browser.value("window.changes.length"), 0)

    def test_page_noAnswerOrOldData_saysSince(self):
        self.open()
        self.server.code = 503
        self.await_state("stale")
        self.assertIn("the super-peer says 503", self.browser.text("#link"))
        self.assertIn("Shown is the state of", self.browser.text("#link"))
        self.browser.wait("/^[3-9] s old$/.test(document.querySelector('#age').textContent)")
        self.assertLess(float(self.browser.value("getComputedStyle(document.querySelector('main')).opacity")), 1)
        self.picture("stale")
        self.server.code, self.server.data = 200, recorded.well("2026-01-01T10:00:09Z")
        self.await_state("live")
        self.assertEqual(self.browser.text("#age"), "")
        # From now on the data are always those of one moment.
        self.await_state("stale")
        self.assertIn("old data", self.browser.text("#link"))

    def test_page_serverIsGone_saysThatItCannotBeReached(self):
        self.open()
        self.server.close()
        self.await_state("stale")
        self.assertIn("cannot be reached", self.browser.text("#link"))
        self.server = recorded.Server()

    def test_page_namesThatAreHtml_areShownAsText(self):
        data = recorded.well()
        name = "<img src=x onerror=alert(1)>"
        data["status"]["storagePeers"][0]["name"] = name
        data["status"]["ring"]["superPeers"][1]["name"] = name
        data["status"]["ring"]["superPeers"][1]["httpAddress"] = '"><script>alert(1)</script>'
        self.server.data = data
        self.open()
        self.assertIn(name, self.browser.text("#storage"))
        self.assertEqual(self.browser.value("document.querySelectorAll('img, main script').length"), 0)

    def test_page_wideNarrowAndDark_fitsAndCanBeRead(self):
        texts = ".state, .note, td, th, dt, dd, #link, #verdict li, .seen li span, .seen time, .legend li"
        for name, width, dark in (("light", 1280, False), ("dark", 1280, True), ("narrow", 400, False)):
            with self.subTest(name):
                self.server.data = recorded.well()
                self.open(width=width, dark=dark)
                self.show(recorded.trouble())
                self.assertLessEqual(self.browser.value("document.documentElement.scrollWidth"), width)
                self.assertGreaterEqual(self.browser.value(f"({CONTRAST})({texts!r})"), 4.5)
                self.picture(name)

    def test_page_itsParts_haveNamesForThoseWhoDoNotSee(self):
        self.open()
        self.assertEqual(self.browser.value("[...document.querySelectorAll('table')].filter((table) =>"
                                            " !table.caption?.textContent ||"
                                            " table.querySelector('thead th:not([scope])')).length"), 0)
        self.assertEqual(self.browser.value("[...document.querySelectorAll('[aria-labelledby]')].filter((node) =>"
                                            " node.getAttribute('aria-labelledby').split(' ').some((id) =>"
                                            " !document.getElementById(id)?.textContent)).length"), 0)
        self.assertEqual(self.browser.value("document.querySelector('#zone-bar').ariaLabel"),
                         "Zones: 160 with all copies")
        self.assertEqual(self.browser.value("document.querySelector('#storage th').scope"), "row")
        self.assertIn("3 super-peers and 4 live storage peers", self.browser.value(
            "document.querySelector('#ring-text').textContent"))

    def test_storagePeers_sorted_byFillAndBack(self):
        self.open()
        first = "document.querySelector('#storage tr').textContent"
        self.browser.value("document.querySelector('[data-sort=fill]').click()")
        self.assertIn("storage-2", self.browser.value(first))
        self.assertEqual(self.browser.value("document.querySelector('[aria-sort]').ariaSort"), "descending")
        self.browser.value("document.querySelector('[data-sort=heat]').click()")
        self.assertIn("storage-1", self.browser.value(first))
        self.browser.value("document.querySelector('[data-sort=nid]').click()")
        self.assertIn("storage-3", self.browser.value(first))

    def test_page_hotRanges_areShownTheHottestFirst(self):
        data = recorded.well()
        self.server.data = data
        self.open()
        rows = "[...document.querySelectorAll('#hot tr')].map((row) => row.textContent).join('|')"
        self.assertEqual(self.browser.value(rows),
                         "0xbffe0000000000010xbffe00000000ffff0xbffe/1128-1910x400038,000/s"
                         "|0x80000000000000010x8000ffffffffffffwithout copies–0x800019,000/s")
        data["status"]["hotRanges"] = []
        self.open()
        self.assertIn("Nothing was used", self.browser.value(rows))

    def test_page_manyStoragePeers_areAllDrawn(self):
        data = recorded.well()
        data["status"]["storagePeers"] = [
            recorded.peer(f"0x{number * 256:04x}", f"storage-{number}", fill=number / 256, usesPerSecond=number)
            for number in range(1, 256)]
        self.server.data = data
        self.open()
        self.assertEqual(self.browser.value("document.querySelectorAll('#ring .store').length"), 255)
        self.assertEqual(self.browser.value("document.querySelectorAll('#storage tr').length"), 255)
        self.assertIn("storage-249), 0xfa00 (storage-250), 0xfb00 (storage-251), 0xfc00 (storage-252) and 3 more",
                      self.browser.text("#verdict"))
        self.picture("many")


if __name__ == "__main__":
    unittest.main()
