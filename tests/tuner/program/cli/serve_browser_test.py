"""The pages of `warptune serve` and `tune --serve` in a real browser. serve_browser_test.py SOURCE_FOLDER WARPTUNE [FOLDER for screenshots]"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCES, WARPTUNE = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
SHOTS = Path(sys.argv[3]) if len(sys.argv) > 3 else None
sys.path.insert(0, str(SOURCES / "tests/tuner/results/report/page"))
import browser as browsers  # noqa: E402

if not browsers.program():
    print("there is no Chromium on this machine (Debian: apt-get install chromium), so no page was looked at")
    sys.exit(77)

sys.argv = [sys.argv[0], str(SOURCES), str(WARPTUNE)]
import serve_test  # noqa: E402

ENTER, TAB = ("Enter", 13), ("Tab", 9)


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keep = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.keep.name)
        cls.environment = {name: value for name, value in os.environ.items() if not name.startswith("WARPTUNE")}
        cls.environment |= {"WARPTUNE_DB": str(cls.folder / "s.db"), "XDG_CACHE_HOME": str(cls.folder / "cache")}
        make = serve_test.session
        sessions = [make("gemm", trials=230, name="baseline", note="before the new driver", day=2, checks=[1.0, 1.02, 0.99, 1.05, 1.31]),
                    make("gemm", device="NVIDIA H100 80GB HBM3", trials=60, day=3, checks=[1.001, 1.0, 1.003]),
                    make("gemm", size=512, trials=8, day=4), make("scan", trials=4, state="interrupted", day=5),
                    make(serve_test.HOSTILE, device=serve_test.HOSTILE, name=serve_test.HOSTILE, trials=8, day=6, message=serve_test.HOSTILE)]
        file = cls.folder / "sessions.json"
        file.write_text(json.dumps({"schema": "warptune-sessions/2", "sessions": sessions}))
        subprocess.run([WARPTUNE, "import", file], env=cls.environment, check=True, capture_output=True)
        cls.served = serve_test.Served("serve", environment=cls.environment)
        cls.browser = browsers.Browser().__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.served.end()
        cls.keep.cleanup()

    def enter(self, served=None, target="/", **options):
        served = served or self.served
        page = self.browser.page(**options)
        page.call("Page.navigate", url=f"{served.base}{target}?token={served.token}")
        page.wait("document.readyState === 'complete' && !location.search.includes('token') && document.querySelector('nav') !== null")
        return page

    def go(self, page, target):
        page.call("Page.navigate", url=self.served.base + target)
        page.wait(f"location.pathname + location.search === {json.dumps(target)} && document.readyState === 'complete'")

    def press(self, page, key):
        name, code = key
        extra = {"text": "\r"} if key == ENTER else {}
        page.call("Input.dispatchKeyEvent", type="keyDown", key=name, code=name, windowsVirtualKeyCode=code, **extra)
        page.call("Input.dispatchKeyEvent", type="keyUp", key=name, code=name, windowsVirtualKeyCode=code)

    def shoot(self, page, name):
        if SHOTS:
            page.screenshot(SHOTS / f"{name}.png")

    def assert_quiet(self, page, served=None):
        self.assertEqual(page.problems, [])
        base = (served or self.served).base
        self.assertEqual([one for one in page.requests if not one.startswith((base, "data:", "about:"))], [])

    def test_all_pages_fit_and_say_nothing_on_the_console(self):
        for scheme, width in (("light", 1200), ("dark", 1200), ("light", 400)):
            page = self.enter(scheme=scheme, width=width)
            for target in ("/", "/sessions", "/winners", "/checks", "/session/1", "/session/1/trials?order=best", "/session/5"):
                self.go(page, target)
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width, (target, width))
                self.assertEqual(page.evaluate("[...document.querySelectorAll('input, select')].every((one) => one.labels.length > 0)"), True)
                self.assertEqual(page.evaluate("document.querySelectorAll('h1').length"), 1)
                self.shoot(page, f"{target.strip('/').split('?')[0].replace('/', '_') or 'overview'}_{scheme}_{width}")
            self.assertEqual(page.evaluate("getComputedStyle(document.body).fontFamily").count("system-ui"), 1)  # the sheet was taken
            self.assert_quiet(page)

    def test_the_filter_works_by_keyboard(self):
        page = self.enter()
        self.go(page, "/sessions")
        self.press(page, ("/", 191))
        self.assertEqual(page.evaluate("document.activeElement.id"), "q")
        page.call("Input.insertText", text="baseline")
        self.press(page, ENTER)
        page.wait("location.search === '?q=baseline' && document.readyState === 'complete'")
        self.assertEqual(page.evaluate("document.querySelectorAll('tbody tr').length"), 1)
        self.go(page, "/sessions")
        page.evaluate("document.querySelectorAll('input[name=sessions]')[3].focus()")
        self.press(page, (" ", 32))
        page.evaluate("document.querySelectorAll('input[name=sessions]')[4].focus()")
        self.press(page, (" ", 32))
        self.assertEqual(page.evaluate("document.querySelectorAll('input:checked').length"), 2)
        # The next stops are the fields, in their order; and a table can be reached and scrolled.
        page.evaluate("document.getElementById('q').focus()")
        stops = []
        for _ in range(20):
            self.press(page, TAB)
            stops.append(page.evaluate("document.activeElement.id || document.activeElement.className || document.activeElement.textContent"))
        self.assertEqual(stops[:2], ["kernel", "device"])
        self.assertIn("scroll", stops)
        self.assert_quiet(page)

    def test_the_first_stop_skips_the_navigation(self):
        page = self.enter()
        self.press(page, TAB)
        self.assertEqual(page.evaluate("document.activeElement.textContent"), "Skip to the content")
        self.press(page, ENTER)
        page.wait("document.activeElement.id === 'content'")

    def test_hostile_text_does_nothing(self):
        page = self.enter()
        for target in ("/", "/sessions", "/session/5", "/session/5/trials", "/winners"):
            self.go(page, target)
        self.assert_quiet(page)
        self.go(page, "/session/5/report")
        page.settle()
        self.assertEqual(page.problems, [])

    def test_a_running_session_is_followed_to_its_end(self):
        folder = self.folder / "kernel"
        folder.mkdir()
        (folder / "template.toml").write_text(serve_test.MANIFEST)
        (folder / "kernel.cu").write_text(serve_test.KERNEL)
        (folder / "reference.cu").write_text(serve_test.REFERENCE)
        served = serve_test.Served("tune", folder, "--device", "host", "--strategy", "exhaustive", "--precision", "0.2", "--finals", "2",
                                   "--size", "n=1000000", "--serve",
                                   environment=self.environment | {"WARPTUNE_DB": str(self.folder / "live.db")}, stream="stderr")
        page = self.enter(served, "/live")
        page.wait("Number(document.querySelector('[data-live=trials]').textContent.split(',')[0]) > 2")
        page.wait("document.getElementById('live-report').contentWindow?.warptune?.update !== undefined")
        page.wait("document.getElementById('live-state').textContent.includes('has ended')")
        served.process.communicate(timeout=serve_test.PATIENCE_S)
        self.assertEqual(served.process.returncode, 0)
        # The last state stays, and the report beneath has all trials.
        self.assertTrue(page.evaluate("document.querySelector('[data-live=phase]').textContent").startswith("ended"))
        text = page.evaluate("document.getElementById('live-report').contentDocument.body.innerText")
        self.assertRegex(text, r"(?i)trials\s*10\b")
        self.assertRegex(text, r"(?i)finished")
        self.shoot(page, "live_ended")
        self.assertEqual(page.problems, [])
        self.assertEqual([one for one in page.requests if not one.startswith((served.base, "data:", "about:"))], [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
