"""`tune --agents` and `warptune agent`, as programs on several machines use them. agents_test.py WARPTUNE [test names]

Each session tries a whole space, so what must be in the store at its end is known.
"""
import collections
import http.server
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "cluster"))
import tuning  # noqa: E402

WARPTUNE = Path(sys.argv[1]).resolve()
TOKEN = "a token that only these tests have"
PATIENCE_S = 120
# Of the shared kernel's space; a pause in it makes a session last for seconds.
RESTRICT, CONFIGURATIONS = "UNROLL == 1", 5 * 5
PAUSE_US = 60000

class Run:
    """A program that runs, and all that it has said."""

    def __init__(self, *arguments, environment):
        self.said = ""
        self.changed = threading.Condition()
        self.process = subprocess.Popen([WARPTUNE, *map(str, arguments)], env=environment, text=True, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            with self.changed:
                self.said += line
                self.changed.notify_all()
        with self.changed:
            self.changed.notify_all()

    def wait_for(self, pattern):
        """The match, as soon as it was said."""
        end = time.monotonic() + PATIENCE_S
        with self.changed:
            while not (found := re.search(pattern, self.said)):
                if time.monotonic() > end or self.process.poll() is not None and not self.reader.is_alive():
                    raise AssertionError(f"never said {pattern}:\n{self.said}")
                self.changed.wait(0.2)
        return found

    def end(self):
        """The exit code."""
        code = self.process.wait(timeout=PATIENCE_S)
        self.reader.join(PATIENCE_S)
        self.process.stdout.close()
        return code


class Cache(http.server.BaseHTTPRequestHandler):
    """A shared cache: what was put there is got."""

    entries = {}

    def do_GET(self):
        entry = self.entries.get(self.path)
        self.send_response(404 if entry is None else 200)
        self.send_header("Content-Length", str(len(entry or b"")))
        self.end_headers()
        self.wfile.write(entry or b"")

    def do_PUT(self):
        self.entries[self.path] = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(201)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


class Proxy:
    """Stands between an agent and its session, and can fall silent or cut the connection."""

    def __init__(self, port):
        self.target, self.silent, self.pairs = port, False, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                agent = self.listener.accept()[0]
                session = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                return
            self.pairs.append((agent, session))
            for a, b in ((agent, session), (session, agent)):
                threading.Thread(target=self.pump, args=(a, b), daemon=True).start()

    def pump(self, a, b):
        try:
            while data := a.recv(65536):
                if not self.silent:
                    b.sendall(data)
            b.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def cut(self):
        for pair in self.pairs:
            for one in pair:
                try:
                    one.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
                one.close()
        self.pairs.clear()

    def close(self):
        self.listener.close()
        self.cut()


class Agents(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keep = tempfile.TemporaryDirectory()
        cls.shared = Path(cls.keep.name)
        cls.template = cls.shared / "template"
        cls.template.mkdir()
        kernel = '#include "factor.h"\n' + tuning.kernel.replace("2 * in[i]", "FACTOR * in[i]")  # its headers travel, too
        for name, text in (("template.toml", tuning.manifest), ("kernel.cu", kernel), ("reference.cu", tuning.reference),
                           ("factor.h", "#define FACTOR 2\n")):
            (cls.template / name).write_text(text)

    @classmethod
    def tearDownClass(cls):
        cls.keep.cleanup()

    def setUp(self):
        keep = tempfile.TemporaryDirectory()
        self.addCleanup(keep.cleanup)
        self.folder = Path(keep.name)
        self.runs = []
        self.addCleanup(self.end_all)

    def end_all(self):
        for run in self.runs:
            if run.process.poll() is None:
                run.process.send_signal(signal.SIGCONT)
                run.process.kill()
            run.end()

    def environment(self, cache, **more):
        """What is compiled is kept for all tests of this run, unless a cache of its own is named."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("WARPTUNE")}
        folder = self.folder if cache else self.shared
        return kept | {"WARPTUNE_DB": str(self.folder / "s.db"), "XDG_CACHE_HOME": str(folder / f"cache{cache}"),
                       "XDG_RUNTIME_DIR": str(self.folder), "WARPTUNE_AGENT_TOKEN": TOKEN} | more

    def start(self, *arguments, cache="", **environment):
        run = Run(*arguments, environment=self.environment(cache, **environment))
        self.runs.append(run)
        return run

    def tune(self, *more, **environment):
        arguments = () if "--agents" in more else ("--agents", "127.0.0.1:0")
        if "--size" not in more:
            arguments += ("--size", f"pause_us={PAUSE_US}")
        run = self.start("tune", self.template, "--device", "host", "--strategy", "exhaustive", "--precision", "0.2", "--finals", "2",
                         "--transfer", "off", "--restrict", RESTRICT, *arguments, *more, **environment)
        run.port = int(run.wait_for(r"agents join with: .*:(\d+)")[1])
        return run

    def agent(self, port, *more, **environment):
        return self.start("agent", f"127.0.0.1:{port}", *more, **environment)

    def assert_whole(self, session):
        """It ended with each configuration tried once, and right."""
        self.assertEqual(session.end(), 0, session.said)
        shown = subprocess.run([WARPTUNE, "show", "1", "--format", "json"], env=self.environment(""), text=True, capture_output=True,
                               check=True).stdout
        trials = json.loads(shown)["trials"]
        counts = collections.Counter(json.dumps(one["configuration"], sort_keys=True) for one in trials)
        self.assertEqual(set(counts.values()), {1}, counts)
        self.assertEqual(len(counts), CONFIGURATIONS, session.said)
        self.assertEqual({one["outcome"] for one in trials}, {"correct"}, session.said)

    @staticmethod
    def given(session):
        """How many trials agents gave."""
        return int(re.search(r"gave (\d+) trials", session.said)[1])

    def test_agents_share_a_session_and_go_home_at_its_end(self):
        session = self.tune()
        agents = [self.agent(session.port) for _ in range(2)]
        for agent in agents:
            agent.wait_for("taking part: 1 x ")
        self.assert_whole(session)
        self.assertGreater(self.given(session), 0)
        self.assertEqual([agent.end() for agent in agents], [0, 0])

    def test_an_agent_may_be_there_before_its_session(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
        agent = self.agent(port)
        session = self.tune("--agents", port)
        agent.wait_for("taking part")
        self.assert_whole(session)
        self.assertEqual(agent.end(), 0)

    def test_what_a_killed_agent_had_is_tried_elsewhere(self):
        session = self.tune()
        agent = self.agent(session.port)
        session.wait_for("agent .* joins")
        agent.process.kill()
        self.assert_whole(session)
        self.assertRegex(session.said, "agent .* is gone: its connection ended")

    def test_an_agent_that_stands_still_is_given_up_and_comes_again(self):
        session = self.tune("--size", "pause_us=80000")
        agent = self.agent(session.port)
        session.wait_for("agent .* joins")
        agent.process.send_signal(signal.SIGSTOP)
        session.wait_for("agent .* is gone: it was silent for 20 s; its \\d+ configurations are tried elsewhere")
        agent.process.send_signal(signal.SIGCONT)
        agent.wait_for("the connection was lost")
        self.assert_whole(session)
        self.assertIn(agent.end(), (0, 11))

    def test_an_agent_whose_connection_is_cut_comes_again(self):
        session = self.tune("--size", "pause_us=40000")
        proxy = Proxy(session.port)
        self.addCleanup(proxy.close)
        agent = self.agent(proxy.port)
        session.wait_for("agent .* joins")
        proxy.cut()
        session.wait_for("(?s)agent .* is gone.*agent .* joins")
        self.assert_whole(session)
        proxy.close()
        self.assertIn(agent.end(), (0, 11))

    def test_an_agent_that_is_told_to_end_says_so(self):
        session = self.tune()
        agent = self.agent(session.port)
        session.wait_for("agent .* joins")
        agent.process.terminate()
        self.assertEqual(agent.end(), 130)
        self.assert_whole(session)
        self.assertIn("is gone: it was interrupted", session.said)

    def test_strangers_are_kept_out_and_disturb_nobody(self):
        session = self.tune()
        stranger = self.agent(session.port, WARPTUNE_AGENT_TOKEN="another token that is long")
        self.assertEqual(stranger.end(), 2)
        self.assertIn("another token", stranger.said)
        for text in (b"GET / HTTP/1.1\r\n\r\n", b"\0" * 100000, b"WTG3" + b"\xff" * 60, b""):
            with socket.create_connection(("127.0.0.1", session.port)) as sock:
                try:
                    sock.sendall(text)
                except OSError:
                    pass
        silent = [socket.create_connection(("127.0.0.1", session.port)) for _ in range(20)]
        self.assert_whole(session)
        for sock in silent:
            sock.close()
        self.assertNotIn("joins", session.said)

    def test_who_is_no_session_gets_no_agents(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            agent = self.agent(listener.getsockname()[1], "--patience", "1")
            with listener.accept()[0] as connection:
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n" + b" " * 100)
                self.assertEqual(agent.end(), 11)
        self.assertIn("no session at 127.0.0.1", agent.said)

    def test_other_devices_take_no_part_without_a_shared_cache(self):
        session = self.tune()
        agent = self.agent(session.port, "--device", "host:sm_90")
        session.wait_for("agent .* takes no part: the session is measured on ")
        self.assert_whole(session)
        self.assertEqual(agent.end(), 0)

    def test_another_compiler_takes_no_part(self):
        session = self.tune()
        compiler = self.folder / "c++"
        compiler.write_text(f'#!/bin/sh\n[ "$1" = --version ] && {{ echo "another 1.0"; exit; }}\nexec {shutil.which("c++")} "$@"\n')
        compiler.chmod(0o755)
        path = f"{self.folder}:{os.environ['PATH']}"
        agent = self.agent(session.port, cache="a", PATH=path)
        session.wait_for("agent .* takes no part: its compiler is .* 1[.]0, and")
        self.assert_whole(session)
        self.assertEqual(agent.end(), 0)

    def test_other_devices_compile_ahead_where_a_cache_is_shared(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Cache)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        url = f"http://127.0.0.1:{server.server_address[1]}/cache"
        session = self.tune("--compile-jobs", "1", "--cache-url", url, cache="s")
        agent = self.agent(session.port, "--device", "host:sm_90", "--cache-url", url, cache="a")
        agent.wait_for("taking part: compiles for others")
        self.assert_whole(session)
        self.assertRegex(session.said, r"\(\d+ of them shared\)")
        self.assertEqual(agent.end(), 0)

    def test_words_that_make_no_agent_are_refused(self):
        for arguments, environment, message in (
                (("agent", "7117"), {}, "expected HOST:PORT"),
                (("agent", "node1"), {}, "expected HOST:PORT"),
                (("agent", "node1:99999"), {}, "expected HOST:PORT"),
                (("agent", "node1:7117"), {"WARPTUNE_AGENT_TOKEN": ""}, "WARPTUNE_AGENT_TOKEN is not set"),
                (("agent", "node1:7117"), {"WARPTUNE_AGENT_TOKEN": "short"}, "could be guessed"),
                (("tune", self.template, "--agents", "0", "--deterministic"), {}, "contradict"),
                (("tune", self.template, "--agents", "1.2.3.4:0"), {}, "cannot listen for agents")):
            run = self.start(*arguments, **environment)
            self.assertEqual(run.end(), 2, run.said)
            self.assertIn(message, run.said)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
