#!/usr/bin/env python3
"""Reports as a reader sees them, in a real browser: every chart with the session's data, selectors, tooltips, the keyboard, dark screens,
narrow ones and paper; nothing asked of a network, nothing of a hostile session obeyed. page_test.py WARPTUNE"""
import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import browser  # noqa: E402
import png  # noqa: E402
import sessions  # noqa: E402

WARPTUNE = os.path.abspath(sys.argv[1])
CHARTS = {"finals", "best-over-time", "best-over-trials", "phases", "distribution", "values", "heat-map", "parallel", "occupancy", "registers",
          "spilled-bytes", "outcomes", "changes", "importance"}


def setUpModule():
    global FOLDER, BROWSER
    FOLDER = tempfile.TemporaryDirectory(prefix="warptune-page-")
    file = FOLDER.name + "/sessions.json"
    # Numbers in the store: 1 the usual one, 2 to 5 on 1, 2, 4 and 8 GPUs, 6 hostile, 7 with many trials, 8 the usual one while it runs,
    # 9 one by a score that is below zero at its best.
    running = sessions.usual()
    running.update(state="running", trials=running["trials"][:20], started_at=sessions.moment(0))
    running.pop("winner")
    running["key"]["source_hash"] = "f" * 32
    sessions.write(file, [sessions.usual(), *map(sessions.on_devices, (1, 2, 4, 8)), sessions.hostile(), sessions.many(6000), running, sessions.signed()])
    run("import", file)
    BROWSER = browser.Browser()


def tearDownModule():
    BROWSER.__exit__()
    FOLDER.cleanup()


def run(*arguments):
    done = subprocess.run([WARPTUNE, *map(str, arguments)], capture_output=True, text=True, cwd=FOLDER.name,
                          env={**os.environ, "WARPTUNE_DB": FOLDER.name + "/db", "WARPTUNE_SYSTEM_DB": ""})
    assert done.returncode == 0, done.stderr
    return done


def report(*numbers, options=()):
    file = f"{FOLDER.name}/{'_'.join(map(str, numbers))}{''.join(options)}.html"
    run("report", *numbers, "-o", file, *options)
    return file


class PageTest(unittest.TestCase):
    def open(self, *numbers, options=(), **page):
        self.page = BROWSER.page(**page)
        self.page.open(report(*numbers, options=options))
        self.page.settle()
        return self.page

    def data(self, chart, name):
        return self.page.evaluate(f"warptune.views.get('{chart}').view.data('{name}').map(({{...row}}) => row)")

    def note(self, chart):
        return self.page.evaluate(f"document.querySelector('#chart-{chart} .note').textContent")

    def shown_pixels(self, selector, scale=0.5):
        self.page.show()
        box = self.page.evaluate(f"(() => {{ const b = document.querySelector('{selector}').getBoundingClientRect();"
                                 " return {x: b.x + scrollX, y: b.y + scrollY, width: b.width, height: b.height}; })()")
        shot = self.page.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip={**box, "scale": scale})["data"]
        return png.pixels(base64.b64decode(shot))


class OneSession(PageTest):
    @classmethod
    def setUpClass(cls):
        cls.once = PageTest()
        cls.once.open(1)

    def setUp(self):
        self.page = self.once.page
        self.page.show()
        self.trials = sessions.usual()["trials"]
        self.correct = [one for one in self.trials if one["outcome"] == "correct"]

    def test_every_chart_is_there_and_nothing_complains(self):
        self.assertEqual(set(self.page.evaluate("[...warptune.views.keys()]")), CHARTS)
        self.assertEqual(self.page.problems, [])
        self.assertEqual(self.page.requests, [])

    def test_the_best_so_far_falls_as_the_session_did(self):
        best, expected = float("inf"), []
        for place, one in enumerate(self.trials, 1):
            if one["outcome"] == "correct" and one["objectives"][0] < best:
                best = one["objectives"][0]
                expected.append((place, best * 1000))  # µs
        self.assertEqual([(row["x"], round(row["y"], 1)) for row in self.data("best-over-trials", "best")][:-1],
                         [(place, round(value, 1)) for place, value in expected])
        self.assertEqual([row["x"] for row in self.data("best-over-time", "best")][:-1], [place for place, _ in expected])  # one a second
        self.assertEqual(self.page.evaluate("warptune.views.get('best-over-time').spec.encoding.y.title"), "Time (µs)")
        self.assertEqual(self.page.evaluate("warptune.views.get('best-over-time').spec.encoding.x.title"), "Tuning time (s)")
        self.assertEqual(len(self.data("best-over-time", "points")), len(self.correct))

    def test_the_distribution_counts_every_correct_trial_once(self):
        self.assertEqual(sum(row["trials"] for row in self.data("distribution", "bins")), len(self.correct))
        self.assertEqual({row["name"]: round(row["value"], 3) for row in self.data("distribution", "marks")}, {"winner": 512, "default": 1650})

    def test_a_heat_map_has_the_best_of_each_pair(self):
        expected = {}
        for one in self.correct:
            pair = (one["configuration"]["BLOCK"], one["configuration"]["TILE"])
            expected[pair] = min(expected.get(pair, 1e9), one["objectives"][0] * 1000)
        self.choose("heat-map", "x", "BLOCK")
        self.choose("heat-map", "y", "TILE")
        cells = {(row["x"], row["y"]): row["value"] for row in self.data("heat-map", "cells")}
        self.assertEqual({pair: round(value, 2) for pair, value in cells.items()}, {pair: round(value, 2) for pair, value in expected.items()})

    def choose(self, chart, name, value):
        self.page.evaluate(f"(() => {{ const s = document.querySelector('#chart-{chart} select[name={name}]'); s.value = '{value}';"
                           " s.dispatchEvent(new Event('change', {bubbles: true})); })()")
        self.page.settle()

    def test_selectors_work_by_keyboard_and_keep_the_focus(self):
        self.choose("heat-map", "x", "BLOCK")
        self.choose("heat-map", "y", "TILE")
        self.page.evaluate("document.querySelector('#chart-heat-map select[name=measure]').focus()")
        self.page.key("ArrowDown", 40)
        self.page.settle()
        self.assertEqual(self.page.evaluate("document.activeElement.name + ' ' + document.activeElement.value"), "measure median")
        self.page.key("ArrowDown", 40)
        self.page.settle()
        self.assertEqual(sum(row["value"] for row in self.data("heat-map", "cells")), len(self.trials))
        self.choose("heat-map", "measure", "best")

    def test_a_point_tells_its_trial(self):
        spot = self.page.evaluate("(() => { const p = document.querySelectorAll('#chart-registers svg .mark-symbol path')[3]; p.scrollIntoView({block: 'center'});"
                                  " const b = p.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()")
        self.page.move_mouse(*spot)
        self.page.wait("document.querySelector('#vg-tooltip-element.visible') !== null")
        text = self.page.evaluate("document.querySelector('#vg-tooltip-element').textContent")
        self.assertRegex(text, r"Registers per thread\d+time\d+.* [µm]strial\d+configurationBLOCK=\d+ TILE=\d COPY=")

    def test_finals_show_intervals_and_ties(self):
        rows = self.data("finals", "finals")
        self.assertEqual([row["state"] for row in rows], ["winner", "tied with the winner", "slower"])
        self.assertEqual([(round(row["low"], 3), round(row["high"], 3)) for row in self.data("finals", "bounded")], [(-1, 5), (45, 55)])

    def test_failures_have_their_reasons(self):
        self.assertEqual({row["outcome"]: row["trials"] for row in self.data("outcomes", "outcomes")}, {"correct": 46, "compile error": 1, "wrong result": 1})
        self.assertIn("error: too many resources", self.page.evaluate("document.getElementById('chart-reasons').textContent"))

    def test_time_by_phase_adds_up(self):
        last = max(row["x"] for row in self.data("phases", "phases"))
        sums = {row["phase"]: row["seconds"] for row in self.data("phases", "phases") if row["x"] == last}
        self.assertAlmostEqual(sums["compiling"], 0.4 * len(self.trials))
        self.assertAlmostEqual(sums["measuring"], 0.08 * len(self.trials))

    def test_charts_are_seen(self):
        self.assertGreater(png.near(self.shown_pixels("#chart-best-over-time svg"), (0x1F, 0x5F, 0xA8)), 40)  # the line
        self.assertGreater(png.near(self.shown_pixels("#chart-outcomes svg", 1), (0xB3, 0x26, 0x1E)), 10)  # failures
        self.assertGreater(png.near(self.shown_pixels("#chart-heat-map svg"), (0x44, 0x01, 0x54)), 20)  # the best cell
        for chart in CHARTS:
            colours = {pixel for row in self.shown_pixels(f"#chart-{chart} svg", 0.25) for pixel in row}
            self.assertGreater(len(colours), 10, chart)

    def test_a_screen_reader_finds_headings_names_and_tables(self):
        levels = self.page.evaluate("[...document.querySelectorAll('h1, h2, h3')].filter((h) => h.checkVisibility()).map((h) => Number(h.tagName[1]))")
        self.assertEqual(levels.count(1), 1)
        self.assertTrue(all(b <= a + 1 for a, b in zip(levels, levels[1:])), levels)
        for chart in CHARTS:
            label = self.page.evaluate(f"document.querySelector('#chart-{chart} [role=img]').getAttribute('aria-label')")
            self.assertGreater(len(label or ""), 10, chart)
        self.assertTrue(self.page.evaluate("[...document.querySelectorAll('select')].every((s) => s.labels.length === 1)"))
        self.assertTrue(self.page.evaluate("[...document.querySelectorAll('nav a')].every((a) => document.querySelector(a.hash)?.checkVisibility())"))
        tables = self.page.evaluate("[...document.querySelectorAll('figure')].filter((f) => f.checkVisibility() && !f.querySelector('table')).map((f) => f.id)")
        self.assertEqual(tables, ["chart-parallel"])

    def test_nothing_wider_than_a_phone(self):
        self.page.resize(400)
        self.page.evaluate("new Promise((done) => setTimeout(done, 300))")
        self.assertEqual(self.page.evaluate("document.documentElement.scrollWidth"), 400)
        self.assertLessEqual(self.page.evaluate("Math.max(...[...document.querySelectorAll('.chart svg')].map((s) => s.getBoundingClientRect().right))"), 400)
        self.page.resize(1200)

    def test_a_roofline_has_all_trials_under_the_roofs(self):
        page = self.open(1)
        page.evaluate("(() => { const data = JSON.parse(document.getElementById('warptune-data').textContent); data.sessions[0].roofline = "
                      "{flops: 2e9, bytes: 1e9, arithmetic: 'fp32', roofs: [{name: 'dram', title: 'memory bandwidth', bytes: true, value: 4e12},"
                      " {name: 'fp32', title: 'FP32', bytes: false, value: 6e13}], winner: {bound: null, roofs: [{roof: 'dram', title: 'memory bandwidth',"
                      " rate: 2e12, share: 0.5}]}, default: null}; warptune.update(data); })()")
        page.settle()
        rows = self.data("roofline", "points")
        self.assertEqual(len(rows), len(self.correct))
        self.assertEqual({row["x"] for row in rows}, {2})
        self.assertAlmostEqual(max(row["y"] for row in rows), 2e9 / 0.512e-3 / 1e12, 6)  # TFLOP/s
        lines = [(round(row["x"], 6), round(row["y"], 6)) for row in self.data("roofline", "roofs")]
        self.assertIn((15, 60), lines)  # the ridge: 60 TFLOP/s over 4 TB/s
        self.assertEqual(page.evaluate("warptune.views.get('roofline').spec.encoding.y.title"), "Performance (TFLOP/s)")
        self.assertIn("No roof binds", self.note("roof-shares"))
        self.assertEqual(page.problems, [])

    def test_newer_data_appear_where_the_reader_is(self):
        page = self.open(8)
        before = page.evaluate("warptune.kept = warptune.views.get('best-over-trials').view, document.querySelector('dl.facts').textContent")
        page.evaluate("document.querySelector('#chart-heat-map select').focus()")
        newer = pathlib.Path(report(1)).read_text().split('id="warptune-data">')[1].split("</script>")[0]
        page.evaluate(f"warptune.update(JSON.parse({json.dumps(newer)}))")
        page.settle()
        self.assertNotEqual(page.evaluate("document.querySelector('dl.facts').textContent"), before)
        self.assertEqual(len(self.data("best-over-trials", "points")), len(self.correct))
        self.assertEqual(page.evaluate("document.activeElement.tagName"), "SELECT")
        self.assertIn("finals", page.evaluate("[...warptune.views.keys()]"))
        self.assertEqual(page.problems, [])


class Looks(PageTest):
    def test_dark_screens_are_dark_and_paper_is_white(self):
        page = self.open(1, scheme="dark")
        self.assertGreater(png.near(self.shown_pixels("h1"), (0x14, 0x17, 0x1B), 10), 100)
        self.assertGreater(png.near(self.shown_pixels("#chart-best-over-time svg"), (0x6C, 0xAB, 0xF0)), 40)
        page.call("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        self.assertGreater(png.near(self.shown_pixels("#chart-best-over-time svg"), (255, 255, 255), 5), 1000)
        self.assertGreater(png.near(self.shown_pixels("#chart-best-over-time svg"), (0x1F, 0x5F, 0xA8)), 40)
        self.assertFalse(page.evaluate("document.querySelector('nav').checkVisibility()"))

    def test_without_the_chart_library_there_are_tables(self):
        page = self.open(1, options=("--without-charts",))
        self.assertTrue(page.evaluate("document.querySelector('#chart-outcomes table').checkVisibility()"))
        self.assertFalse(page.evaluate("document.querySelector('#chart-outcomes [role=img]').checkVisibility()"))
        self.assertIn("tables only", page.evaluate("document.querySelector('.warning').textContent"))
        self.assertEqual(page.problems, [])

    def test_many_trials_are_thinned_and_the_page_says_so(self):
        self.open(7)
        self.assertEqual(len(self.data("best-over-trials", "points")), 2000)
        self.assertIn("2,000 of 6,000 trials", self.note("best-over-trials"))
        self.assertEqual(self.data("best-over-trials", "best")[-2]["x"], 5999)  # the line knows all
        self.assertEqual(sum(row["trials"] for row in self.data("distribution", "bins")), 6000)


class Signed(PageTest):
    def test_values_on_both_sides_of_zero_keep_their_signs(self):
        page = self.open(9)
        self.assertEqual(page.problems, [])
        scores = [one["objectives"][0] for one in sessions.signed()["trials"] if one["objectives"]]
        best = [row["y"] for row in self.data("best-over-trials", "best")]
        self.assertEqual((best[0], best[-1]), (scores[0], min(scores)))
        self.assertEqual(page.evaluate("warptune.views.get('best-over-trials').spec.encoding.y.scale.type ?? 'linear'"), "linear")
        self.assertEqual(sum(row["trials"] for row in self.data("distribution", "bins")), len(scores))
        self.assertEqual({row["name"]: round(row["value"], 3) for row in self.data("distribution", "marks")}, {"winner": -0.288, "default": 0.85})
        self.assertIn("-0.288 score", page.evaluate("document.querySelector('dl.facts').textContent"))


class SeveralSessions(PageTest):
    def test_speed_up_and_efficiency_follow_the_number_of_devices(self):
        page = self.open(2, 3, 4, 5)
        rows = self.data("scaling-devices", "points")
        self.assertEqual([(row["x"], round(row["y"], 3)) for row in rows], [(p, round(1 / (0.1 + 0.9 / p), 3)) for p in (1, 2, 4, 8)])
        self.assertEqual(rows[-1]["efficiency"], "58.8 %")
        self.assertIn("Amdahl: serial share 10 %", self.note("scaling-devices"))
        self.assertEqual(sorted(round(row["value"], 3) for row in self.data("compare-winners", "winners")), [21.25, 32.5, 55, 100])
        self.assertEqual(page.problems, [])

    def test_each_session_can_be_looked_at(self):
        page = self.open(1, 5)
        page.evaluate("(() => { const s = document.querySelector('select[name=session]'); s.value = '1'; s.dispatchEvent(new Event('change')); })()")
        page.settle()
        self.assertIn("21.3 ms", page.evaluate("document.querySelector('dl.facts').textContent"))
        self.assertEqual(page.evaluate("document.getElementById('chart-outcomes').checkVisibility()"), False)  # nothing failed there


class Hostile(PageTest):
    def test_hostile_names_and_messages_are_text(self):
        page = self.open(6)
        text = page.evaluate("document.body.innerText + document.title")
        for word in (sessions.HOSTILE["kernel"], sessions.HOSTILE["message"].replace("\u2028", ""), "<h1>H200</h1>", "<u>name</u>", "</title>"):
            self.assertIn(word, text.replace("\u2028", ""))
        self.assertIn(sessions.HOSTILE["parameter"], page.evaluate("document.getElementById('chart-values').textContent"))
        self.assertIsNone(page.evaluate("window.hacked"))
        self.assertEqual(page.evaluate("document.querySelectorAll('img, main script, main b, main u, main i').length"), 0)
        self.assertEqual(page.problems, [])
        self.assertEqual(page.requests, [])

    def test_the_page_may_neither_run_nor_load_anything_else(self):
        page = self.open(6, options=("--without-charts",))
        page.evaluate("(() => { const s = document.createElement('script'); s.textContent = 'window.hacked=1'; document.body.append(s); })()")
        self.assertIsNone(page.evaluate("window.hacked"))
        self.assertEqual(page.evaluate("fetch('data:,x').then(() => 'loaded', () => 'refused')"), "refused")
        self.assertEqual(page.evaluate("(() => { try { return eval('1'); } catch { return 'refused'; } })()", allowUnsafeEvalBlockedByCSP=False), "refused")


if __name__ == "__main__":
    if not browser.program():
        print("SKIPPED: there is no Chromium to open reports with: apt-get install chromium")
        sys.exit(77)
    if not os.path.exists(os.path.join(os.path.dirname(WARPTUNE), "charts/vega.js")):
        print("SKIPPED: there is no chart library to draw with: ./bootstrap charts")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
