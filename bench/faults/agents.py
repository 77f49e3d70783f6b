#!/usr/bin/env python3
"""One session with agents while random faults befall them: killed, stopped and continued, told to end, cut off, fallen silent; new
ones come. The session tries a whole space, so what must be in the store at its end is known. Ends with 0 only if each
configuration was tried once, and right, and nothing is left running. Tells the figures.
Usage: agents.py WARPTUNE [FAULTS] [AGENTS] [SEED]   (100, 4, 7)"""
import pathlib
import random
import signal
import sys
import time

program = sys.argv[1]
faults, wanted, seed = (int(sys.argv[i]) if len(sys.argv) > i else default for i, default in ((2, 100), (3, 4), (4, 7)))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests/tuner/program/cli"))
import agents_test  # noqa: E402

# Long enough for all faults: they end when the session does.
agents_test.tuning.manifest = agents_test.tuning.manifest.replace("[1, 2, 4, 8, 16]", str(list(range(1, 121))))
agents_test.CONFIGURATIONS = 5 * 120
agents_test.PATIENCE_S = 300
rng = random.Random(seed)


class Faults(agents_test.Agents):
    def runTest(self):
        began = time.monotonic()
        session = self.tune()
        proxies, agents, counts = [], [], dict.fromkeys(("kill", "stop", "end", "cut", "silence"), 0)

        def start():
            proxies.append(agents_test.Proxy(session.port))
            agents.append(self.agent(proxies[-1].port, "--patience", "10"))

        while sum(counts.values()) < faults and session.process.poll() is None:
            while sum(one.process.poll() is None for one in agents) < wanted:
                start()
            time.sleep(rng.uniform(0.05, 0.8))
            at = rng.choice([i for i, one in enumerate(agents) if one.process.poll() is None])
            fault = rng.choice(list(counts))
            counts[fault] += 1
            if fault == "kill":
                agents[at].process.kill()
            elif fault == "end":
                agents[at].process.terminate()
            elif fault == "stop":
                agents[at].process.send_signal(signal.SIGSTOP)
                time.sleep(rng.uniform(0.1, 1.5))
                agents[at].process.send_signal(signal.SIGCONT)
            elif fault == "cut":
                proxies[at].cut()
            else:  # for good: both sides have to notice by themselves
                proxies[at].silent = True
        done = sum(counts.values())
        self.assert_whole(session)
        for proxy in proxies:
            proxy.close()
        for one in agents:
            one.end()
        print(f"{done} faults ({', '.join(f'{n} {what}' for what, n in counts.items())}) on {len(agents)} agents in "
              f"{time.monotonic() - began:.0f} s: {agents_test.CONFIGURATIONS} configurations, each tried once and right; agents gave "
              f"{self.given(session)} of them")
        self.assertEqual(done, faults, "the session ended before all faults had befallen it")


agents_test.Agents.setUpClass()
try:
    Faults().debug()
finally:
    agents_test.Agents.tearDownClass()
