"""warptune.tune: kernels of the caller's on the host backend."""
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import warptune
from conftest import QUICK, TWICE, Twice
from warptune import _places
from warptune._arguments import Argument
from warptune._reference import as_elements, take_tolerance


def blocks(session):
    return sorted(trial.configuration["BLOCK"] for trial in session)


def outcomes(session):
    return {trial.configuration["BLOCK"]: trial.outcome for trial in session}


def test_every_configuration_is_held_against_the_reference(twice):
    session = twice.tune(parameters={"BLOCK": [32, 64], "WRONG": [64]})
    assert outcomes(session) == {32: "correct", 64: "wrong_result"}
    assert session.best.configuration == {"BLOCK": 32, "WRONG": 64}
    assert session.winner.time_ms > 0
    assert "y[0]" in next(trial.message for trial in session if not trial.correct)


def test_without_a_reference_the_default_configuration_is_it(twice):
    session = twice.tune(parameters={"BLOCK": [32, 64], "WRONG": [32]}, reference=None)
    assert outcomes(session) == {32: "correct", 64: "wrong_result"}


def test_a_reference_may_be_a_function_that_returns_or_fills(twice):
    def fill(x, y, n):
        assert n == 1000
        y[:] = 2 * x

    assert blocks(twice.tune(reference=fill)) == blocks(twice.tune(reference=lambda x, y, n: 2 * x)) == [32, 64, 128]
    wrong = twice.tune(reference=lambda x, y, n: 3 * x)
    assert wrong.winner is None and wrong.best is None
    assert "none of 3" in wrong._repr_html_()


@pytest.mark.parametrize("given, wanted, words", [
    ([1, 300], "uint8", r"the value 300 \(int64\), and its elements are uint8"), ([1, -1], "uint32", "the value -1"),
    ([1.0, 2.5], "int32", "the value 2.5"), ([float("nan")], "int32", "the value nan"), ([2], "bool", "the value 2"),
    ([1e300], "float32", "the value 1e\\+300"), ([1 + 2j], "float32", r"the value \(1\+2j\)"),
    (["a"], "int32", "it has elements of <U1, which are no numbers"),
    ([3.0, -4], "int32", None), ([0.1, 1e-60, float("inf"), float("nan")], "float32", None), ([2**24 + 1], "float32", None),
])
def test_a_reference_is_never_cut_to_the_outputs_type(given, wanted, words):
    array = np.array(given)
    if words is None:
        assert np.array_equal(as_elements(array, np.dtype(wanted), "it has"), array.astype(wanted), equal_nan=wanted != "int32")
    else:
        with pytest.raises(warptune.UsageError, match=words):
            as_elements(array, np.dtype(wanted), "it has")


def test_a_reference_of_another_type_is_refused_by_name(twice):
    source = TWICE.replace("float* y", "int* y")
    with pytest.raises(warptune.UsageError, match=r"the reference gives y the value 0.5 \(float64\), and its elements are int32"):
        twice.tune(source=source, arguments=[twice.x, np.zeros(1000, np.int32), 1000], reference=np.arange(1000) + 0.5)


def test_a_reference_may_lie_in_any_order(twice):
    table = twice.x.reshape(10, 100)
    right = np.asfortranarray(2 * table)
    assert outcomes(twice.tune(arguments=[table, np.zeros_like(table), 1000], reference=right))[64] == "correct"


def test_the_callers_arrays_are_left_as_they_were(twice):
    y = np.full_like(twice.x, 7)
    twice.tune(arguments=[twice.x, y, 1000], reference=lambda x, y, n: y.fill(0) or 2 * x)
    assert (y == 7).all() and (twice.x == np.arange(1000)).all()


def test_constraints_are_expressions_and_functions(twice):
    call = dict(parameters={"BLOCK": [32, 64, 96, 128], "WRONG": [0]})
    table = {32: True, 96: True}
    assert blocks(twice.tune(**call, constraints=["BLOCK > 32"])) == [64, 96, 128]
    assert blocks(twice.tune(**call, constraints=[lambda c: c.BLOCK > 32 and c["BLOCK"] % 64 == 0])) == [64, 128]
    assert blocks(twice.tune(**call, constraints=[lambda BLOCK: table.get(BLOCK, False)])) == [32, 96]


def test_grid_and_block_may_be_functions_of_the_configuration(twice):
    session = twice.tune(grid=lambda c: -(-c.n // c.BLOCK), block=[lambda c: c.BLOCK, 1])
    assert all(trial.correct for trial in session)
    real = twice.tune(grid=lambda c: int(np.ceil(c.n / c.BLOCK)))  # one block was launched
    assert len(real) == 3 and all(trial.correct for trial in real)


def test_metrics_and_tables(twice):
    session = twice.tune(metrics={"GB/s": lambda c: 8 * c.n / c.time / 1e9, "ms": ("time * 1000", "lower")})
    best = session.best
    assert best.metrics["GB/s"] == pytest.approx(8 * 1000 / best.time_ms / 1e6)
    assert best.metrics["ms"] == pytest.approx(best.time_ms)
    assert "GB/s" in session._repr_html_() and "Winner" in session.report()
    pandas = pytest.importorskip("pandas")
    table = session.to_pandas()
    assert isinstance(table, pandas.DataFrame) and list(table["BLOCK"]) and {"time_ms", "outcome"} <= set(table.columns)


def test_a_crash_of_a_kernel_costs_one_trial(twice):
    source = TWICE.replace("if (i < n)", "if (BLOCK == 64) *(volatile int*)8 = 1;\n  if (i < n)")
    session = twice.tune(source=source)
    assert outcomes(session) == {32: "correct", 64: "crash", 128: "correct"}


def test_constant_memory_scratch_and_several_outputs():
    source = """
    __constant__ float filter[3];
    extern "C" __global__ void weigh(const double* x, double* y, int* count, float* work, int n) {
      const int i = blockIdx.x * BLOCK + threadIdx.x;
      if (i >= n) return;
      work[i] = filter[i % 3];
      y[i] = x[i] * work[i];
      count[i] += 1;
    }"""
    n, filter = 300, np.array([1, 2, 4], dtype=np.float32)
    x, count = np.linspace(0, 1, n), np.arange(n, dtype=np.int32)
    session = warptune.tune(
        source, parameters={"BLOCK": [32, 64]}, grid="ceildiv(n, BLOCK)", block="BLOCK",
        arguments={"x": x, "y": warptune.output(x), "count": count, "work": warptune.scratch(filter.repeat(n)), "n": n},
        constants={"filter": filter}, reference={"y": x * np.tile(filter, n // 3), "count": count + 1},
        device="host", strategy="exhaustive", finals=0, measuring=QUICK, store=":memory:", progress=False)
    assert outcomes(session) == {32: "correct", 64: "correct"}


def test_what_is_not_compared_may_differ(twice):
    source = TWICE.replace("float* y,", "float* y, int* seen,").replace("if (i < n)", "seen[0] = BLOCK;\n  if (i < n)")
    seen = np.zeros(1, dtype=np.int32)
    call = dict(source=source, parameters={"BLOCK": [32, 64], "WRONG": [0]})
    ignored = twice.tune(**call, arguments=[twice.x, twice.x, warptune.inout(seen, compared=False), 1000])
    assert outcomes(ignored) == {32: "correct", 64: "correct"}
    compared = twice.tune(**call, arguments=[twice.x, twice.x, seen, 1000], reference={"y": 2 * twice.x})
    assert outcomes(compared) == {32: "correct", 64: "wrong_result"}


USUAL = (1e-5, 1.3e-6)  # of float


@pytest.mark.parametrize("given, y, z", [
    (None, USUAL, USUAL), (0.5, (0.5, 0.0), (0.5, 0.0)), (np.float32(0.5), (0.5, 0.0), (0.5, 0.0)), ((0, 0.5), (0, 0.5), (0, 0.5)),
    ({"y": 0.5}, (0.5, 0.0), USUAL), ({"y": np.int32(1), "z": (0, 0.5)}, (1, 0), (0, 0.5)), ({"y": None}, USUAL, USUAL),
    ({"relative": 0.5}, (0, 0.5), (0, 0.5)), ({"y": {"relative": 0.5}, "absolute": 2}, (0, 0.5), (2, 0)),
])
def test_a_tolerance_is_for_the_outputs_that_it_names(given, y, z):
    outputs = [Argument(np.zeros(2, np.float32), "output", name=name) for name in "yz"]
    take_tolerance(outputs, given)
    assert [(output.absolute, output.relative) for output in outputs] == [y, z]


@pytest.mark.parametrize("changes, words", [
    (dict(defaults={"BLOK": 64}), "defaults says 'BLOK', which is no parameter; there are BLOCK, WRONG"),
    (dict(seed="a"), "seed is 'a'; expected an integer"),
    (dict(finals=-1), "finals is -1; expected an integer of at least 0"),
    (dict(sizes={"m": 2.5}), "the size m is 2.5; expected an integer"),
    (dict(tolerance=(1e-3,)), r"the tolerance is \(0.001,\); expected a number"),
    (dict(tolerance="1e-3x"), "the tolerance is '1e-3x'; expected a number"),
    (dict(tolerance={"x": 1e-3}), "the tolerance says 'x'; expected absolute, relative or an output's name"),
    (dict(arguments=[np.asfortranarray(np.zeros((10, 100), np.float32)), np.zeros(1000, np.float32), 1000]),
     "the argument x is not contiguous in C's order"),
    (dict(arguments=[np.zeros(2000, np.float32)[::2], np.zeros(1000, np.float32), 1000]), "numpy.ascontiguousarray.x."),
    (dict(arguments=[1, 2]), "3 parameters"),
    (dict(arguments=[np.zeros(9), np.zeros(9, np.float32), 9]), "points to float"),
    (dict(arguments=[[1.0], np.zeros(9, np.float32), 9]), "a list"),
    (dict(arguments=[np.zeros(9, np.float32), np.zeros(9, np.float32), np.int64(9)]), "numpy.int32"),
    (dict(arguments=[np.zeros(9, np.float32), np.zeros(9, np.float32), np.float32(9)]), "numpy.int32"),
    (dict(arguments=[np.zeros(9, np.float32), np.zeros(9, np.float32), 9.5]), "9.5, which is no int32"),
    (dict(arguments=[np.zeros(9, np.float32), np.zeros(9, np.float32), 2**40]), "which is no int32"),
    (dict(reference=np.zeros(3, np.float32)), "3 elements"),
    (dict(arguments=[np.array(1, np.float32), np.zeros(9, np.float32), 9]), r"x takes an array, and .*; pass .reshape\(1\)"),
    (dict(arguments=[np.ma.masked_equal(np.zeros(9, np.float32), 0), np.zeros(9, np.float32), 9]), "x is a masked array"),
    (dict(arguments=[np.zeros(9, ">f4"), np.zeros(9, np.float32), 9]), r"bytes are in the other order; .*numpy.float32"),
    (dict(metrics={"m": ("-BLOCK", "minimise")}), "the metric m says 'minimise'; expected"),
    (dict(objective="fast"), "the objective 'fast' is no metric of this call; expected one of time, joules"),
    (dict(objective=None), "objective is None; expected a text"),
    (dict(budget="soon"), "no budget"),
    (dict(budget=b"2"), "the budget b'2' is bytes; expected a text or a number, as '2'"),
    (dict(budget="30s1m"), "no budget"),
    (dict(budget="0s"), "a time must be above 0s and at most 8784h"),
    (dict(budget="9000h"), "a time must be above 0s and at most 8784h"),
    (dict(budget="improvement:2"), "a fraction from 0 to 1"),
    (dict(budget=["target:1", "target:2"]), "there is a target already, 1; name one"),
    (dict(metrics={"m": lambda c: round(1 / c.time)}), "the metric m does .* reads time"),
    (dict(grid=None), "grid= is missing"),
    (dict(measuring={"samples": 3}), "measuring says 'samples'"),
    (dict(source="no_such_file.cu"), "no file"),
    (dict(parameters={"BLOCK": 64}), "BLOCK has the value 64; expected a list"),
    (dict(parameters={"BLOCK": "64"}), "BLOCK has the value '64'; expected a list"),
    (dict(parameters={"BLOCK": []}), "BLOCK has no values"),
    (dict(parameters={}), "parameters= is empty"),
    (dict(constraints="BLOCK > 32"), "constraints= takes a list"),
    (dict(constraints=lambda c: c.BLOCK > 32), "constraints= takes a list"),
    (dict(reference=lambda x, y: 2 * x), "in its order: x, y, n; the function takes"),
])
def test_a_wrong_call_says_what_is_wrong(twice, changes, words):
    with pytest.raises(warptune.UsageError, match=words):
        twice.tune(**changes)


SCALED = """
extern "C" __global__ void scaled(const float* x, float* y, float factor, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = factor * x[i];
}
"""


@pytest.mark.parametrize("factor, words", [
    (float("nan"), "factor is nan; a kernel is tuned with finite numbers"), (float("inf"), "factor is inf;"),
    (np.float32("nan"), "factor is nan;"), (1e300, r"factor is 1e\+300, which float32 cannot hold"),
])
def test_a_number_that_is_not_finite_is_named(twice, recwarn, factor, words):
    with pytest.raises(warptune.UsageError, match=words):
        twice.tune(source=SCALED, parameters={"BLOCK": [32]}, reference=None,
                   arguments=[twice.x, np.zeros_like(twice.x), factor, 1000])
    assert not recwarn.list


def test_an_objective_that_is_none_of_a_template_is_a_usage_error(tmp_path):
    with pytest.raises(warptune.UsageError, match="has no metric 'fast'"):
        warptune.tune("vector_add", sizes={"SIZE": 1000}, objective="fast", device="host", store=":memory:", progress=False)


def test_an_observers_value_error_stays_what_it_is(twice):
    def fail(trial):
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine") as error:
        twice.tune(on_trial=fail)
    assert type(error.value) is ValueError


@pytest.mark.parametrize("budget, seconds", [("90s", 90), ("1m30s", 90), ("1500ms", 1.5), ("1d", 86400), ("1h0.5m", 3630)])
def test_a_time_may_have_several_units(budget, seconds):
    from warptune._tune import parse_budget

    assert parse_budget(budget) == {"seconds": seconds}


def test_a_reference_that_does_nothing_is_told(twice):
    with pytest.raises(warptune.UsageError, match="the reference returned nothing and left y unchanged"):
        twice.tune(reference=lambda x, y, n: None)


def test_a_reference_may_fill_what_was_right_before(twice):
    def fill(x, y, n):
        y[:] = 2 * x

    assert blocks(twice.tune(arguments=[twice.x, warptune.output(2 * twice.x), 1000], reference=fill)) == [32, 64, 128]


@pytest.mark.parametrize("metric, words, best", [
    (("-1.0 * BLOCK", "lower"), "m = -128", 128), ("1.0 * BLOCK", "m = 128", 128), (("1.0 * BLOCK", "lower"), "m = 32", 32),
    ("-1.0 * BLOCK", "m = -32", 32)])
def test_a_notebook_shows_the_best_by_the_sessions_objective(twice, metric, words, best):
    import re

    session = twice.tune(metrics={"m": metric}, objective="m")
    shown = session._repr_html_()
    assert words in shown and ("times as good as the default" in shown) == (best != 32 or "1.00 times" in shown)
    assert "default's speed" not in shown and shown.index("<th>m</th>") < shown.index("<th>BLOCK</th>")
    rows = re.findall(r"<tr>(<td>.*?)</tr>", shown)
    order = [int(re.findall("<td>(.*?)</td>", row)[-2]) for row in rows]
    assert order == sorted(order, reverse=best == 128) and order[0] == best


def test_a_session_whose_sources_were_not_kept_is_no_failure_of_check(twice, tmp_path):
    def cli(*words):
        return subprocess.run([str(_places.program()), *words, "--db", str(tmp_path / "s.db")], capture_output=True, text=True)

    twice.tune(store=tmp_path / "s.db")
    checked = cli("check")
    assert checked.returncode == 0
    assert "not checkable" in checked.stdout and "1 of 1 session not checkable" in checked.stderr
    assert "template=" in checked.stdout.replace("\n", "") + checked.stderr and "save_template" in checked.stderr
    assert cli("best", "--require-current").returncode == 0
    twice.tune(store=tmp_path / "s.db", template=tmp_path / "kept")
    assert cli("check", "--template", str(tmp_path / "kept")).returncode in (0, 8, 12)


def test_a_value_of_another_type_is_named(twice):
    with pytest.raises(warptune.TuningError, match='max_samples says "many": type must be number'):
        twice.tune(measuring={"max_samples": "many"})
    with pytest.raises(warptune.TuningError, match="name says 3: type must be string"):
        twice.tune(name=3)


def test_a_session_without_a_winner_says_why(twice):
    session = twice.tune(source=TWICE.replace("2 * x[i]", "no_such_name"))
    assert session.best is None
    for shown in (repr(session), session._repr_html_()):
        assert "none of 3 configurations was correct" in shown and "compile_error" in shown and "no_such_name" in shown


@pytest.mark.parametrize("changes, kind", [
    (dict(device="cuda:77"), "no_device"),
    (dict(constraints=["BLOCK > 1000"]), "request"),
    (dict(constraints=["BLOK > 1"]), "manifest"),
])
def test_what_cannot_be_tuned_raises_with_its_kind(twice, changes, kind):
    with pytest.raises(warptune.TuningError) as error:
        twice.tune(**changes)
    assert error.value.kind == kind and "/warptune-" not in str(error.value)


def test_an_empty_space_of_a_kernel_without_sizes_is_told_without_a_gap(twice):
    source = 'extern "C" __global__ void one(float* y) { y[threadIdx.x] = BLOCK; }'
    with pytest.raises(warptune.TuningError, match="the space of one on host is empty"):
        twice.tune(source=source, parameters={"BLOCK": [32]}, arguments=[np.zeros(64, np.float32)], grid=1, reference=None,
                   constraints=["BLOCK > 1000"])


def test_a_template_by_name_and_a_store():
    session = warptune.tune("vector_add", sizes={"SIZE": 5000}, constraints=["BLOCK_SIZE == 64"], budget=2, device="host",
                            finals=0, measuring=QUICK, progress=False, name="from python")
    assert session.kernel == "vector_add" and len(session) >= 2
    store = warptune.Store()
    record = store.sessions("vector_add")[0]
    assert record.id == session.id and record.problem == {"SIZE": 5000} and record.name == "from python"
    assert [trial.configuration for trial in store.session(record.id)] == [trial.configuration for trial in session]
    assert store.session(record.id).winner == session.winner
    with pytest.raises(KeyError):
        store.session(999999)
    assert "gemm" in warptune.templates()
    with pytest.raises(warptune.UsageError, match="did you mean vector_add"):
        warptune.tune("vectr_add")
    for name, value in dict(reference=np.zeros(3), options=["-O3"], shared=4, include_directories=["include"]).items():
        with pytest.raises(warptune.UsageError, match=f"{name}= is for"):
            warptune.tune("vector_add", **{name: value})


def test_numbers_of_numpys_are_numbers(twice):
    session = warptune.tune("vector_add", sizes={"SIZE": np.int64(1000)}, budget=np.int32(1), seed=np.uint8(3), finals=np.int64(0),
                            device="host", store=":memory:", progress=False, strategy="random",
                            measuring={name: np.int64(value) for name, value in QUICK.items()})
    assert len(session) == 1 and session.document()["session"]["key"]["problem_size"] == {"SIZE": 1000}
    assert len(twice.tune(sizes={"m": np.int32(7)}, defaults={"BLOCK": np.int64(64)}, budget=np.int64(2))) == 2


def test_an_argument_may_be_called_as_a_functions_configuration(twice):
    source = TWICE.replace("int n", "int c").replace("i < n", "i < c")
    for grid in (lambda c: -(-c.c // c.BLOCK), lambda c: -(-c["c"] // c["BLOCK"]), [lambda BLOCK: -(-1000 // BLOCK)]):
        session = twice.tune(source=source, grid=grid, constraints=[lambda c: c.BLOCK <= 64])
        assert outcomes(session) == {32: "correct", 64: "correct"}


def test_the_same_call_goes_on_where_it_stopped(twice, tmp_path):
    first = twice.tune(store=tmp_path / "s.db", budget=1)
    second = twice.tune(store=tmp_path / "s.db")
    assert second.id == first.id and blocks(second) == [32, 64, 128]
    assert second.document()["run"]["resumed"] == len(first)
    changed = twice.tune(store=tmp_path / "s.db", reference=3 * twice.x)
    assert changed.id != first.id


def test_iterating_over_a_resumed_session_gives_each_trial_once(twice, tmp_path):
    twice.tune(store=tmp_path / "s.db", budget=1)
    assert blocks(twice.tune(store=tmp_path / "s.db", wait=False)) == [32, 64, 128]


def test_a_saved_template_is_one_of_the_command_line(twice, tmp_path):
    session = twice.tune()
    session.save_template(tmp_path / "mine")
    again = warptune.tune(str(tmp_path / "mine"), device="host", strategy="exhaustive", finals=0, measuring=QUICK,
                          store=":memory:", progress=False)
    assert blocks(again) == [32, 64, 128]


def test_a_running_session_gives_trials_as_they_come_and_can_be_stopped(twice):
    session = twice.tune(wait=False, parameters={"BLOCK": list(range(32, 1024, 32)), "WRONG": [0]})
    assert "so far" in session._repr_html_()
    for trial in session:
        session.stop()
        break
    assert trial.correct
    assert session.interrupted and session.best is not None and len(session) < 31


def test_an_observers_exception_ends_the_session(twice):
    def observe(trial):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        twice.tune(on_trial=observe)


def test_the_interpreter_runs_while_the_engine_works(twice):
    turns = 0
    session = twice.tune(wait=False)
    while not session.done:
        turns += 1
        time.sleep(0.001)
    assert turns > 10 and session.best is not None


def test_two_sessions_at_once_and_from_several_threads(tmp_path):
    sessions = [Twice(n).tune(wait=False, store=tmp_path / "shared.db") for n in (500, 700)]
    found = []

    def work(n):
        found.append(blocks(Twice(n).tune()))

    threads = [threading.Thread(target=work, args=(n,)) for n in (600, 800)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[32, 64, 128]] * 2
    assert [blocks(session) for session in sessions] == [[32, 64, 128]] * 2


def exit_code_of_fork(work):
    """What `work` returns in a forked process; 1 if it raises."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = work()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_a_forked_process_does_not_wait_for_its_parents_session(twice):
    session = twice.tune(wait=False)

    def wait():
        try:
            session.wait()
        except RuntimeError:
            return 0
        return 2

    assert exit_code_of_fork(wait) == 0
    assert blocks(session) == [32, 64, 128]


# While a session ran, a fork would take over locks that the engine's threads hold: that is nobody's to promise.
def test_a_process_forked_between_sessions_tunes(twice):
    assert blocks(twice.tune()) == [32, 64, 128]
    assert exit_code_of_fork(lambda: 0 if blocks(Twice(400).tune()) == [32, 64, 128] else 2) == 0
    assert blocks(Twice(500).tune()) == [32, 64, 128]


SCRIPT = """
import sys, numpy as np, warptune
sys.path.insert(0, {folder!r})
from conftest import Twice
session = Twice().tune(parameters={{"BLOCK": list(range(32, 1025, 1)), "WRONG": [0]}},
                       on_trial=lambda trial: print("trial", flush=True))
print("interrupted", session.interrupted, session.best is not None, flush=True)
"""


def test_ctrl_c_ends_a_session_with_what_it_has():
    script = SCRIPT.format(folder=os.path.dirname(__file__))
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "trial\n"
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
    assert process.returncode == 0
    assert rest.splitlines()[-1] == "interrupted True True"


ITERATING = """
import sys
sys.path.insert(0, {folder!r})
from conftest import Twice
session = Twice().tune(parameters={{"BLOCK": list(range(32, 1025, 1)), "WRONG": [0]}}, wait=False)
count = 0
for trial in session:
    count += 1
    print("trial", flush=True)
print("ended", session.done, session.interrupted, count == len(session), flush=True)
"""


def test_ctrl_c_in_a_loop_over_trials_ends_the_session():
    script = ITERATING.format(folder=os.path.dirname(__file__))
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "trial\n"
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
        assert "ending the session with what it has" in process.stderr.read()
    assert process.returncode == 0 and rest.splitlines()[-1] == "ended True True True"


KILLED = """
import os, signal, sys
sys.path.insert(0, {folder!r})
from conftest import Twice
seen = []
def kill(trial):
    seen.append(trial)
    if len(seen) == 4:
        os.kill(os.getpid(), signal.SIGKILL)
Twice().tune(parameters={{"BLOCK": list(range(32, 1025)), "WRONG": [0]}}, store={store!r}, on_trial=kill)
"""


def test_a_stored_session_that_was_killed_says_so_with_the_best_so_far(tmp_path):
    store = tmp_path / "s.db"
    script = KILLED.format(folder=os.path.dirname(__file__), store=str(store))
    assert subprocess.run([sys.executable, "-c", script]).returncode == -signal.SIGKILL
    found = warptune.Store(store).session(1)
    assert found.winner is None and found.best.time_ms == min(trial.time_ms for trial in found)
    shown = found._repr_html_()
    assert f"it did not end; of its {len(found)} correct trials" in shown and f"BLOCK={found.best.configuration['BLOCK']}" in shown


def test_importing_the_package_imports_nothing_large():
    code = ("import sys, time; begin = time.perf_counter(); import warptune; took = time.perf_counter() - begin; "
            "loaded = {'numpy', 'pandas', 'json', 'tqdm', 'warptune._native'} & set(sys.modules); "
            "print(sorted(loaded)); print(warptune.__version__, warptune.tune.__module__)")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[]", "0.1.0 warptune._tune"]
