"""`warptune serve` and `tune --serve`, as browsers and programs use them. serve_test.py SOURCE_FOLDER WARPTUNE [test names]"""
import errno
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

SOURCES, WARPTUNE = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
HOSTILE = "<script>alert('x')</script>\"&amp;\u202e\x1b[31m"
PATIENCE_S = 60


def session(kernel, device="NVIDIA H200", size=4096, trials=0, state="finished", name="", note="", day=1, checks=(), message="no"):
    """A session as `warptune import` takes it (db/interchange/README.md)."""
    limits = {"warp_size": 32}
    gpu = {"backend": "cuda", "name": device, "architecture": "sm_90", "driver": "580.1", "memory_gib": 140, "multiprocessors": 132,
           "limits": limits}
    key = {"kernel": kernel, "device": gpu, "compiler": "NVRTC 13.0", "source_hash": "s", "manifest_hash": "m", "options": "",
           "problem_size": {"N": size}, "variants": {}, "policy": "p", "capture": "", "restrictions": []}
    rows = []
    for i in range(trials):
        moment = f"2026-03-{day:02d}T00:{i // 60 % 60:02d}:{i % 60:02d}.000Z"
        good = i % 4 != 3
        time_ms = 2 + (i * 7919 % 1000) / 1000 if i else 4.0
        rows.append({
            "configuration": {"BLOCK": i}, "outcome": "correct" if good else "compile_error", "objectives": [time_ms] if good else [],
            "measurement": {"median_ms": time_ms, "relative_error": 0.01, "cut_short": False, "joules": None, "clock_mhz": None,
                            "power_w": None, "temperature_c": None, "discarded_samples": 0, "samples_ms": [time_ms]} if good else None,
            "metrics": {}, "phases_ms": {"compile": 1.0, "verify": 1.0, "measure": 1.0, "framework": 0.1}, "resources": None,
            "message": "" if good else message, "device_uuid": "GPU-1", "recorded_at": moment})
    good = [i for i in range(trials) if i % 4 != 3]
    best = min(good, key=lambda i: rows[i]["objectives"][0]) if good else None
    winner = None if best is None else {
        "trial": best, "objective": rows[best]["objectives"][0], "relative_error": 0.01, "default_objective": 4.0,
        "decided_at": f"2026-03-{day:02d}T01:00:00.000Z", "default_trial": 0, "time_ms": rows[best]["objectives"][0], "time_error": 0.01,
        "default_time_ms": 4.0, "default_time_error": 0.01, "ties": [], "finalists": []}
    checked = [{"trial": best, "checked_at": f"2026-04-{i + 1:02d}T00:00:00.000Z", "outcome": "correct",
                "objective": rows[best]["objectives"][0] * factor, "relative_error": 0.01,
                "recorded_objective": rows[best]["objectives"][0], "differs": "", "message": ""} for i, factor in enumerate(checks)]
    return {"key": key, "strategy": "random", "seed": "0", "objective": "time", "space_size": "1000", "state": state, "origin": "",
            "manifest": "", "capture_file": "", "tool_version": "0.1.0", "started_at": f"2026-03-{day:02d}T00:00:00.000Z",
            "updated_at": f"2026-03-{day:02d}T01:00:00.000Z", "store": "0" * 32, "name": name, "note": note,
            "labelled_at": f"2026-03-{day:02d}T00:00:00.000Z" if name or note else "", "trials": rows, "winner": winner, "checks": checked}


class Reader(HTMLParser):
    """What a page has: its links, its elements, its text, the cells of its tables' bodies by row."""

    def __init__(self, text):
        super().__init__()
        self.links, self.elements, self.text, self.rows, self._in = [], [], "", [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self._in.append(tag)
        if tag == "a":
            self.links.append(dict(attributes))
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th") and self.rows:
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        if tag in self._in:
            while self._in.pop() != tag:
                pass

    def handle_data(self, data):
        self.text += data
        if self.rows and self.rows[-1] and ("td" in self._in or "th" in self._in):
            self.rows[-1][-1] += data

    def link(self, relation):
        return next((one["href"] for one in self.links if one.get("rel") == relation), None)


class Served:
    """A running program and its address."""

    def __init__(self, *arguments, environment, stream="stdout"):
        self.process = subprocess.Popen([WARPTUNE, *map(str, arguments)], env=environment, text=True, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.said = ""
        source = getattr(self.process, stream)
        end = time.monotonic() + PATIENCE_S
        while not (found := re.search(r"(http://\S+?:(\d+))(/\S*?)\?token=(\w+)", self.said)):
            line = source.readline() if time.monotonic() < end else ""
            if not line:
                self.process.kill()
                raise AssertionError(f"no address: {self.said} {self.process.communicate()}")
            self.said += line
        self.base, self.port, self.path, self.token = found[1], int(found[2]), found[3], found[4]

    def get(self, target, headers=None, token=True, method="GET"):
        """(status, headers, text) of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        all_headers = {"Authorization": f"Bearer {self.token}"} if token else {}
        connection.request(method, target, headers=all_headers | (headers or {}))
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, text

    def page(self, target):
        status, _, text = self.get(target)
        assert status == 200, (target, status, text)
        return Reader(text)

    def json(self, target):
        status, headers, text = self.get(target)
        assert status == 200 and headers["content-type"].startswith("application/json"), (target, status, text)
        return json.loads(text)

    def events(self):
        """The notes of a stream, until it ends."""
        with self.stream() as sock:
            rest = b""
            while piece := sock.recv(65536):
                rest += piece
                while b"\n\n" in rest:
                    event, rest = rest.split(b"\n\n", 1)
                    if found := re.search(rb"^data: (.*)$", event, re.M):
                        yield json.loads(found[1])

    def stream(self):
        sock = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_S)
        sock.sendall(f"GET /events HTTP/1.1\r\nHost: localhost:{self.port}\r\nAuthorization: Bearer {self.token}\r\n\r\n".encode())
        return sock

    def end(self, how=signal.SIGINT):
        if self.process.poll() is None:
            self.process.send_signal(how)
        out, err = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, out, err


class Folder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keep = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.keep.name)
        cls.environment = {name: value for name, value in os.environ.items() if not name.startswith("WARPTUNE")}
        cls.environment |= {"WARPTUNE_DB": str(cls.folder / "s.db"), "XDG_CACHE_HOME": str(cls.folder / "cache")}

    @classmethod
    def tearDownClass(cls):
        cls.keep.cleanup()

    @classmethod
    def run_program(cls, *arguments, code=0):
        done = subprocess.run([WARPTUNE, *map(str, arguments)], env=cls.environment, text=True, capture_output=True,
                              stdin=subprocess.DEVNULL)
        assert done.returncode == code, (arguments, done.returncode, done.stdout, done.stderr)
        return done

    @classmethod
    def add(cls, *sessions):
        file = cls.folder / "sessions.json"
        file.write_text(json.dumps({"schema": "warptune-sessions/2", "sessions": sessions}))
        cls.run_program("import", file)


class Store(Folder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.add(session("gemm", trials=230, name="baseline", day=2, checks=[1.0, 1.02, 1.31]),
                session("gemm", device="NVIDIA H100 80GB HBM3", trials=8, day=3, checks=[1.001]),
                session("gemm", size=512, trials=8, day=4), session("scan", trials=4, state="interrupted", day=5, note="50% done"),
                session(HOSTILE, device=HOSTILE, name=HOSTILE, note=HOSTILE, trials=8, day=6, message=HOSTILE))
        cls.served = Served("serve", environment=cls.environment)

    @classmethod
    def tearDownClass(cls):
        code, _, err = cls.served.end()
        assert code == 0, (code, err)
        super().tearDownClass()

    def sessions(self, query):
        return self.first_numbers(self.served.page("/sessions" + query))

    @staticmethod
    def first_numbers(page):
        """Of a list of sessions, where a box may come before the number."""
        return [numbers[0] for row in page.rows if (numbers := [cell for cell in row[:2] if cell.isdigit()])]

    def numbers(self, query):
        return {str(one["session"]) for one in self.served.json("/api/history" + query)["sessions"]}

    def test_every_page_is_there_and_links_lead_somewhere(self):
        seen, ahead = set(), ["/"]
        while ahead:
            target = ahead.pop()
            if target in seen:
                continue
            seen.add(target)
            status, headers, text = self.served.get(target)
            self.assertEqual(status, 200, (target, text))
            if not headers["content-type"].startswith("text/html") or target.endswith("/report") or len(seen) > 60:
                continue
            for one in Reader(text).links:
                address = urlsplit(one["href"])
                self.assertFalse(address.netloc, one)
                path = address.path or urlsplit(target).path
                if path.startswith("/"):
                    ahead.append(path + (f"?{address.query}" if address.query else ""))
        self.assertLessEqual({"/", "/sessions", "/winners", "/checks", "/session/1", "/session/1/trials", "/session/1/report"}, seen)

    def test_sessions_are_found_by_what_one_knows_of_them(self):
        everything = self.sessions("")
        self.assertEqual(len(everything), 5)
        (baseline,) = self.sessions("?q=BASELINE")
        self.assertEqual(len(self.sessions("?kernel=gemm")), 3)
        self.assertEqual(len(self.sessions("?kernel=gemm&device=H100")), 1)
        self.assertEqual(len(self.sessions("?since=2026-03-03&until=2026-03-04")), 2)
        self.assertEqual(len(self.sessions("?state=interrupted")), 1)
        self.assertEqual(len(self.sessions("?q=50%25")), 1)
        self.assertEqual(len(self.sessions("?outcome=compile_error")), 5)
        self.assertEqual(self.sessions("?outcome=timeout"), [])
        self.assertEqual(self.sessions("?sort=trials")[0], baseline)
        self.assertEqual(set(everything), self.numbers(""))
        self.assertEqual(self.run_program("history", "--search", "BASE", "--format", "csv").stdout.splitlines()[1].split(",")[0], baseline)

    def test_lists_come_in_pages(self):
        first = self.served.page("/sessions?limit=2")
        second = self.served.page("/sessions" + first.link("next"))
        self.assertEqual(self.served.page("/sessions" + second.link("prev")).rows, first.rows)
        third = self.served.page("/sessions" + second.link("next"))
        self.assertIsNone(third.link("next"))
        shown = [number for page in (first, second, third) for number in self.first_numbers(page)]
        self.assertEqual(shown, self.sessions(""))

    def test_a_query_that_cannot_be_read_is_told_and_not_ignored(self):
        for query in ("state=done", "sort=colour", "outcome=good", "since=<b>", "limit=-1", "offset=x"):
            status, _, text = self.served.get(f"/sessions?{query}")
            self.assertEqual(status, 400, query)
            self.assertIn("cannot be read", text)
        for query in ("after=x", "order=random", "outcome=bad", "limit=0"):
            self.assertEqual(self.served.get(f"/session/1/trials?{query}")[0], 400, query)

    def test_what_is_not_there_is_not_found(self):
        for target in ("/session/99", "/session/x", "/session/2:1", "/session/1/trial/999999", "/session/1/other", "/nothing", "/events",
                       "/live", "/report?sessions=1,99", "/../etc/passwd", "/api/session/99"):
            self.assertEqual(self.served.get(target)[0], 404, target)

    def test_programs_get_errors_as_json(self):
        for target, status, told in (("/api/session/99", 404, "nothing at /api/session/99"), ("/api/nope", 404, "nothing at /api/nope"),
                                     ("/api/session/1/trials?limit=abc", 400, "limit=abc cannot be read: expected how many trials"),
                                     ("/api/session/1/trials?after=x", 400, "expected a trial's number"),
                                     ("/api/history?kernal=saxpy", 400, "/api/history has no parameter kernal; its parameters: device,"),
                                     ("/api/session/1?limit=3", 400, "has no parameter limit; its parameters: none")):
            got, headers, text = self.served.get(target)
            self.assertEqual(got, status, target)
            self.assertIn("application/json", headers["content-type"], target)
            self.assertIn(told, json.loads(text)["error"])

    def test_trials_are_shown_once_each_forwards_and_backwards(self):
        (baseline,) = self.sessions("?q=baseline")
        known = [str(one["trial"]) for one in self.served.json(f"/api/session/{baseline}")["trials"]]
        pages, target = [], f"/session/{baseline}/trials?limit=50"
        while target:
            pages.append((target, [row[0] for row in self.served.page(target).rows[1:]]))
            following = self.served.page(target).link("next")
            target = following and f"/session/{baseline}/trials{following}"
        self.assertEqual([number for _, numbers in pages for number in numbers], known)
        self.assertEqual(len(pages), 5)
        back = self.served.page(f"/session/{baseline}/trials{self.served.page(pages[-1][0]).link('prev')}")
        self.assertEqual([row[0] for row in back.rows[1:]], pages[-2][1])
        failed = self.served.page(f"/session/{baseline}/trials?outcome=compile_error&limit=1000").rows[1:]
        self.assertEqual({row[1] for row in failed}, {"compile_error"})
        self.assertEqual(len(failed), 57)

    def test_programs_get_the_documents_of_the_command_line(self):
        (baseline,) = self.sessions("?q=baseline")
        said = lambda *arguments: json.loads(self.run_program(*arguments, "--format", "json").stdout)
        self.assertEqual(self.served.json("/api/history"), said("history"))
        self.assertEqual(self.served.json(f"/api/session/{baseline}"), said("show", baseline))
        best = said("best")
        for one in best["winners"]:
            one["differs"] = None  # asking compilers is not this page's
        self.assertEqual(self.served.json("/api/best"), best)
        trials, target = [], f"/api/session/{baseline}/trials?limit=100"
        while target:
            page = self.served.json(target)
            trials += page["trials"]
            target = page["next"] and f"/api/session/{baseline}/trials{page['next']}"
        self.assertEqual(trials, said("show", baseline)["trials"])

    def test_json_is_what_the_schema_says(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("python3-jsonschema is missing")
        schema = json.loads((SOURCES / "tuner/results/report/output.schema.json").read_text())
        for target in ("/api/history", "/api/best", "/api/drift", "/api/session/1", "/api/session/1/trials?limit=3"):
            jsonschema.Draft202012Validator(schema).validate(self.served.json(target))

    def test_winners_stand_by_size_and_device(self):
        page = self.served.page("/winners?kernel=gemm")
        self.assertEqual(page.rows[0], ["Size", "NVIDIA H100 80GB HBM3", "NVIDIA H200"])
        self.assertEqual([row[0] for row in page.rows[1:]], ["N=512", "N=4096"])
        self.assertEqual(page.rows[1][1], "–")
        self.assertRegex(page.rows[2][2], r"^2\.\d+ ms [12]\.\d+ times in search$")

    def test_drift_is_shown_the_worst_first(self):
        rows = self.served.page("/checks").rows
        self.assertEqual([row[rows[0].index("Finding")] for row in rows[1:]], ["slower", "holds"])
        self.assertEqual(rows[1][rows[0].index("Drift")], "+31.0 %")
        drift = self.served.json("/api/drift")["drift"]
        self.assertAlmostEqual(drift[0]["drift_percent"], 31)
        self.assertEqual([one["checks"] for one in drift], [3, 1])
        self.assertIn("Winners that do not hold", self.served.page("/").text)
        self.assertEqual(len(self.served.page("/checks?device=H100").rows), 2)

    def test_hostile_text_is_shown_as_text(self):
        (hostile,) = self.sessions("?q=alert")
        listed = self.served.page("/sessions?q=" + urllib.request.quote("<script>"))
        self.assertIn("<script>alert('x')</script>\"&amp;", listed.text)
        failed = self.served.json(f"/api/session/{hostile}")["failures"][0]["example"]
        for target in ("/", "/sessions", "/winners", "/checks", f"/session/{hostile}", f"/session/{hostile}/trials",
                       f"/session/{hostile}/trial/{failed}", "/sessions?q=" + urllib.request.quote(HOSTILE + "' onfocus='x")):
            status, _, text = self.served.get(target)
            page = Reader(text)
            self.assertEqual(status, 200)
            self.assertEqual([one for tag, one in page.elements if tag == "script"], [{"src": "/script.js", "defer": None}], target)
            self.assertFalse([one for _, one in page.elements if any(name.startswith("on") or name == "style" for name in one)], target)
            self.assertNotIn("\u202e", text)
            self.assertNotIn("\x1b", text)
        self.assertIn("alert('x')", self.served.page(f"/session/{hostile}/trial/{failed}").text)
        status, _, text = self.served.get(f"/session/{hostile}/report")
        self.assertNotIn("<script>alert", text)

    def test_a_report_holds_the_session_and_brings_its_own_policy(self):
        status, headers, text = self.served.get("/session/1/report")
        self.assertEqual(status, 200)
        self.assertIn("script-src 'sha256-", text)
        self.assertIn("frame-ancestors 'self'", headers["content-security-policy"])
        data = self.served.json("/session/1/data.json")
        self.assertEqual(len(data["sessions"]), 1)
        for query in ("sessions=1,2", "sessions=1&sessions=2"):
            self.assertEqual([one["reference"] for one in self.served_sessions(f"/report?{query}")], ["1", "2"])
        self.assertEqual(self.served.get("/report")[0], 400)

    def served_sessions(self, target):
        text = self.served.get(target)[2]
        return json.loads(re.search(r'id="warptune-data">(.*?)</script>', text, re.S)[1])["sessions"]

    def test_nobody_enters_without_the_token(self):
        for headers in ({}, {"Authorization": "Bearer " + "0" * 32}, {"Authorization": "Bearer "}, {"Cookie": f"warptune_{self.served.port}="},
                        {"Cookie": f"warptune_{self.served.port}={self.served.token[:-1]}"}, {"Cookie": f"other={self.served.token}"}):
            for target in ("/", "/api/history", "/style.css", "/nothing", "/?token=", "/?token=x"):
                status, _, text = self.served.get(target, headers, token=False)
                self.assertEqual(status, 403, (target, headers))
                self.assertNotIn(self.served.token, text)

    def test_the_first_page_leaves_a_cookie_and_an_address_without_the_token(self):
        browser = {"Accept": "text/html", "Sec-Fetch-Dest": "document"}
        target = f"/sessions?kernel=gemm&token={self.served.token}"
        status, headers, text = self.served.get(target, browser, token=False)
        self.assertEqual(status, 200)
        self.assertRegex(headers["set-cookie"], "^warptune_\\d+=\\w+; Path=/; HttpOnly; SameSite=Strict$")
        self.assertEqual(headers["refresh"], "0; url=/sessions?kernel=gemm")
        self.assertNotIn(self.served.token, text)
        cookie = {"Cookie": "a=b; " + headers["set-cookie"].split(";")[0]}
        self.assertEqual(self.served.get("/sessions", cookie, token=False)[0], 200)
        # A path must not become another host.
        for path in ("//evil.example/", "/%2F/evil.example", "///x"):
            refresh = self.served.get(f"{path}?token={self.served.token}", browser, token=False)[1].get("refresh", "0; url=/")
            self.assertRegex(refresh, r"^0; url=/(?!/)")
        # A program gets what it asked for at once.
        self.assertIn("sessions", json.loads(self.served.get(f"/api/history?token={self.served.token}", token=False)[2]))

    def test_only_own_names_are_answered(self):
        for host, expected in ((f"127.0.0.1:{self.served.port}", 200), ("localhost", 200), ("localhost:9999", 200), ("[::1]:80", 200),
                               ("evil.example", 403), (f"evil.example:{self.served.port}", 403), ("127.0.0.1.evil.example", 403),
                               ("localhost.evil.example", 403), ("", 403)):
            self.assertEqual(self.served.get("/", {"Host": host})[0], expected, host)

    def test_only_reading_is_possible(self):
        for method in ("POST", "PUT", "DELETE", "HEAD", "OPTIONS"):
            status, headers, _ = self.served.get("/", method=method)
            self.assertEqual((status, headers["allow"]), (405, "GET"), method)

    def test_answers_protect_themselves(self):
        for target in ("/", "/api/history", "/nothing", "/style.css"):
            _, headers, _ = self.served.get(target)
            self.assertEqual(headers["x-content-type-options"], "nosniff")
            self.assertEqual(headers["referrer-policy"], "no-referrer")
            self.assertEqual(headers["cache-control"], "no-store")
            self.assertIn("default-src 'none'", headers["content-security-policy"])
            self.assertNotIn("unsafe", headers["content-security-policy"])
            self.assertNotIn("access-control-allow-origin", headers)

    def test_broken_requests_cost_only_themselves(self):
        for text in (b"\r\n\r\n", b"GET\r\n\r\n", b"GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n", b"GET " + b"a" * 100000, b"\x16\x03\x01",
                     b"GET http://x/ HTTP/1.1\r\nHost: localhost\r\n\r\n", b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 100000):
            with socket.create_connection(("127.0.0.1", self.served.port), timeout=PATIENCE_S) as sock:
                try:  # at any of these the server can have closed already
                    sock.sendall(text)
                    sock.shutdown(socket.SHUT_WR)
                    while sock.recv(65536):
                        pass
                except OSError as error:
                    self.assertIn(error.errno, (errno.ECONNRESET, errno.EPIPE, errno.ENOTCONN), text[:20])
        self.assertEqual(self.served.get("/")[0], 200)

    def test_silent_clients_do_not_hold_up_others(self):
        silent = [socket.create_connection(("127.0.0.1", self.served.port)) for _ in range(50)]
        for sock in silent[:25]:
            sock.sendall(b"GET / HTTP/1.1\r\n")
        self.assertEqual(self.served.get("/")[0], 200)
        for sock in silent:
            sock.close()

    def test_strangers_leave_room_for_who_has_the_token(self):
        """More half-open connections than the server takes, some after an answer that refused them."""
        known = self.served.stream()
        strangers = []
        for i in range(300):
            sock = socket.create_connection(("127.0.0.1", self.served.port), timeout=PATIENCE_S)
            strangers.append(sock)
            if i % 3 == 1:
                sock.sendall(b"GET / HTTP/1.1\r\n")
            if i % 3 == 2:
                sock.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.assertEqual(self.served.get("/")[0], 200)
        self.assertTrue(known.recv(1))  # nor was this one closed
        for sock in strangers + [known]:
            sock.close()

    def test_a_port_that_is_taken_is_told_with_what_to_do(self):
        done = self.run_program("serve", "--port", self.served.port, code=2)
        self.assertRegex(done.stderr, rf"cannot listen on port {self.served.port} of 127.0.0.1: Address already in use .*--port")
        self.assertEqual(done.stdout, "")
        self.assertIn("--host takes", self.run_program("serve", "--host", "no.such.host.invalid", code=2).stderr)


class Lifetime(Folder):
    def test_it_waits_for_a_store_and_ends_when_asked(self):
        for how in (signal.SIGINT, signal.SIGTERM):
            served = Served("serve", "--port", 0, environment=self.environment | {"WARPTUNE_DB": str(self.folder / "later.db")})
            self.assertRegex(served.said, r"^http://127\.0\.0\.1:\d+/\?token=\w{32}\n$")
            if how == signal.SIGINT:
                self.assertIn("no store yet", served.page("/").text)
                file = self.folder / "one.json"
                file.write_text(json.dumps({"schema": "warptune-sessions/2", "sessions": [session("gemm", trials=2)]}))
                self.run_program("import", file, "--db", self.folder / "later.db")
            self.assertIn("gemm", served.page("/").text)
            code, out, _ = served.end(how)
            self.assertEqual((code, out), (0, ""))

    def test_a_damaged_store_is_an_error_at_once(self):
        (self.folder / "bad.db").write_text("no store" * 1000)
        self.assertIn("cannot", self.run_program("serve", "--db", self.folder / "bad.db", code=5).stderr)

    def test_several_stores_are_one_list(self):
        self.add(session("gemm", trials=2))
        one = {"schema": "warptune-sessions/2", "sessions": [session("scan", trials=2)]}
        (self.folder / "two.json").write_text(json.dumps(one))
        self.run_program("import", self.folder / "two.json", "--db", self.folder / "two.db")
        served = Served("serve", "--db", self.folder / "s.db", "--db", self.folder / "two.db", environment=self.environment)
        links = [one["href"] for one in served.page("/sessions").links]
        self.assertLessEqual({"/session/1", "/session/2:1"}, set(links))
        self.assertIn("scan", served.page("/session/2:1").text)
        self.assertEqual(served.end()[0], 0)


MANIFEST = """
name = "doubling"
[sizes]
n = 20000
[parameters.BLOCK]
values = [32, 64, 96, 128, 160, 192, 224, 256, 288, 320]
default = 64
[arguments.in]
type = "float"
shape = ["n"]
fill = { uniform = [1, 2], seed = 3 }
[arguments.out]
type = "float"
shape = ["n"]
role = "output"
tolerance = { absolute = 0 }
[arguments.count]
type = "int"
value = "n"
[[launches]]
kernel = "doubling"
grid = "ceildiv(n, BLOCK)"
block = "BLOCK"
arguments = ["in", "out", "count"]
[reference]
[[reference.launches]]
kernel = "reference"
grid = "ceildiv(n, 128)"
block = 128
arguments = ["in", "out", "count"]
"""
KERNEL = """
extern "C" __global__ void doubling(const float* in, float* out, int count) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < count) out[i] = 2 * in[i];
}
"""
REFERENCE = """
extern "C" __global__ void reference(const float* in, double* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = 2.0 * in[i];
}
"""


class Live(Folder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.folder / "template.toml").write_text(MANIFEST)
        (cls.folder / "kernel.cu").write_text(KERNEL)
        (cls.folder / "reference.cu").write_text(REFERENCE)

    def tune(self, *more):
        return Served("tune", self.folder, "--device", "host", "--strategy", "exhaustive", "--precision", "0.2", "--finals", "2",
                      *more, environment=self.environment, stream="stderr")

    def test_a_running_session_tells_how_it_goes_and_ends_as_it_would_alone(self):
        served = self.tune("--serve", "--size", "n=500000")  # seconds: enough to ask while it runs, on a busy machine too
        self.assertEqual(served.path, "/live")
        silent = served.stream()  # never read
        self.addCleanup(silent.close)
        half = socket.create_connection(("127.0.0.1", served.port))
        self.addCleanup(half.close)
        half.sendall(b"GET /live HTTP/1.1\r\nHo")
        self.assertIn("live", served.page("/live").text.lower())
        notes, shown = [], []
        for note in served.events():
            notes.append(note)
            if note["phase"] == "ended":
                break
            if note["session"] and note["trials"] and (not shown or shown[-1][1] != note["trials"]):
                try:
                    trials = served.json(f"/api/session/{note['session']}/trials?limit=1000")["trials"]
                except ConnectionError:  # on a busy machine the session can have ended since
                    continue
                shown.append((len(trials), note["trials"]))
        order = ["", "set-up", "search", "finals", "finished", "ended"]
        told = [order.index(note["phase"]) for note in notes]
        self.assertEqual(told, sorted(told))  # what nobody fetched in time is dropped: not every one comes
        self.assertLessEqual({"search", "ended"}, {note["phase"] for note in notes})
        self.assertEqual(notes[-1]["trials"], 10)
        self.assertTrue(notes[-1]["best"])
        self.assertTrue(shown)
        for in_store, told in shown:  # a trial is durable before anybody hears of it
            self.assertGreaterEqual(in_store, told)
        counts = [note["trials"] for note in notes]
        self.assertEqual(counts, sorted(counts))
        out, err = served.process.communicate(timeout=PATIENCE_S)
        self.assertEqual(served.process.returncode, 0, err)
        self.assertIn("Winner", out)
        self.assertNotIn("token", out)

    def test_who_connects_later_gets_the_present_state(self):
        served = self.tune("--serve", "0", "--size", "n=1000000")
        first = next(note for note in served.events() if note["trials"] > 0)
        again = next(served.events())
        self.assertGreaterEqual(again["trials"], first["trials"])
        code, _, _ = served.end()
        self.assertIn(code, (0, 130))

    def test_a_port_that_is_none_is_refused_before_anything_is_measured(self):
        self.assertIn("is no port", self.run_program("tune", self.folder, "--device", "host", "--serve", "gemm", code=2).stderr)
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            done = self.run_program("tune", self.folder, "--device", "host", "--serve", port, code=2)
            self.assertIn("cannot listen", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
