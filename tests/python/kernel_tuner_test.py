"""warptune.kernel_tuner: scripts that were written for Kernel Tuner."""
import itertools
import json
import time

import numpy as np
import pytest

from warptune import UsageError
from warptune.kernel_tuner import (NotSupported, create_device_targets, run_kernel, store_results, tune_kernel)
from warptune.kernel_tuner import _cache, _tune
from warptune.kernel_tuner._values import constraints, geometry, source_text
from warptune.kernel_tuner.file_utils import store_output_file
from warptune.kernel_tuner.observers import BenchmarkObserver, OutputObserver
from warptune.kernel_tuner.util import CompilationFailedConfig, RuntimeFailedConfig, get_best_config

ADD = """
__global__ void vector_add(float *c, float *a, float *b, int n) {
    int i = blockIdx.x * block_size_x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i] + (block_size_x == 96 ? 1 : 0);
}
"""
SIZE = 1000


@pytest.fixture
def add():
    """The arguments of tune_kernel up to tune_params; the sum."""
    a, b = np.arange(SIZE, dtype=np.float32), np.ones(SIZE, dtype=np.float32)
    call = ("vector_add", ADD, SIZE, [np.zeros_like(a), a, b, np.int32(SIZE)], {"block_size_x": [64, 96]})
    return call, a + b


def by_block(results):
    return {result["block_size_x"]: result for result in results}


def test_results_are_kernel_tuners(add, capsys):
    call, _ = add
    results, env = tune_kernel(*call, iterations=3, metrics={"GB/s": lambda p: 12 * SIZE / p["time"] / 1e6,
                                                             "doubled": "2 * time"})
    assert [result["block_size_x"] for result in results] and set(by_block(results)) == {64, 96}
    for result in results:
        assert result["time"] > 0 and len(result["times"]) >= 3
        assert result["doubled"] == 2 * result["time"]
        assert {"compile_time", "benchmark_time", "timestamp"} <= set(result)
    assert env["best_config"] == get_best_config(results, "time")
    assert env["device_name"] and env["total_compile_time"] >= 0
    assert "BEST PERFORMING CONFIGURATION FOR OBJECTIVE time" in capsys.readouterr().out


def test_an_answer_is_verified(add):
    call, expected = add
    results, env = tune_kernel(*call, answer=[expected, None, None, None], quiet=True)
    assert isinstance(by_block(results)[96]["__error__"], RuntimeFailedConfig)
    assert "time" not in by_block(results)[96] and env["best_config"]["block_size_x"] == 64


def test_an_answer_that_the_output_cannot_hold_is_refused(add):
    call, expected = add
    with pytest.raises(UsageError, match="answer: c has the value 1e.300 .float64., and its elements are float32"):
        tune_kernel(*call, answer=[expected.astype(float) + 1e300, None, None, None], quiet=True)


def test_a_function_verifies_what_each_configuration_computed(add):
    call, expected = add

    def check(answer, output, atol=None):
        assert atol == 0.5 and answer[0] is expected
        return np.allclose(output[0], answer[0], atol=atol) and output[3] == SIZE

    results, _ = tune_kernel(*call, answer=[expected, None, None, None], verify=check, atol=0.5, quiet=True)
    assert ["__error__" in by_block(results)[block] for block in (64, 96)] == [False, True]


def test_a_time_limit_is_for_the_verification_too(add):
    (name, source, size, arguments, _), expected = add
    seen = []

    def check(answer, output):
        seen.append(float(output[0][0]))
        time.sleep(0.5)
        return True

    call = (name, source, size, arguments, {"block_size_x": list(range(32, 32 * 9, 32))})
    results, env = tune_kernel(*call, answer=[expected, None, None, None], verify=check, quiet=True, strategy="random_sample",
                               strategy_options={"time_limit": 2})
    assert 1 <= len(results) == len(seen) < 8  # what could not be verified is not told
    assert env["best_config"]["time"] == min(result["time"] for result in results)


def test_single_runs_begin_with_the_same_data_each(add):
    (name, source, size, arguments, parameters), expected = add
    seen = []
    tune_kernel(name, source.replace("c[i] =", "c[i] +="), size, arguments, {"block_size_x": [32, 64, 128]}, quiet=True,
                answer=[expected, None, None, None], verify=lambda answer, output: seen.append(output[0]) or True)
    assert len(seen) == 3 and all(np.array_equal(each, expected) for each in seen)


def test_run_kernel_returns_what_the_kernel_left(add):
    (name, source, size, arguments, _), expected = add
    left = run_kernel(name, source, size, arguments, {"block_size_x": 64})
    assert np.array_equal(left[0], expected) and np.array_equal(left[1], arguments[1]) and left[3] == SIZE
    assert not arguments[0].any()
    with pytest.raises(RuntimeError, match="crash|ILLEGAL_ADDRESS"):
        run_kernel(name, source.replace("if (i < n)", "*(volatile int*)8 = 1; if (i < n)"), size, arguments,
                   {"block_size_x": 64})


def test_an_array_in_fortrans_order_is_refused(add):
    (name, source, size, arguments, parameters), _ = add
    table = np.asfortranarray(arguments[1].reshape(10, 100))
    with pytest.raises(UsageError, match="the argument a is not contiguous in C's order"):
        run_kernel(name, source, size, [arguments[0], table, *arguments[2:]], {"block_size_x": 64})


def test_a_generated_source(add):
    (name, source, size, arguments, _), expected = add

    def generate(p):
        return source.replace("block_size_x", str(p["block_size_x"])).replace("+ b", f"+ ({p['type']})b")

    parameters = {"block_size_x": [64, 96], "type": ["float", "bool"]}
    results, _ = tune_kernel(name, generate, size, [*arguments[:2], 2 * arguments[2], arguments[3]], parameters,
                             answer=[arguments[1] + 2, None, None, None], quiet=True)
    right = {(result["block_size_x"], result["type"]) for result in results if "__error__" not in result}
    assert len(results) == 4 and right == {(64, "float"), (96, "bool")}  # 2, and 1 of a truth and 1


def test_a_generator_is_asked_for_thousands_of_sources_at_most(add):
    (name, source, size, arguments, _), _ = add
    parameters = {"block_size_x": list(range(32, 232)), "salt": list(range(16))}

    def generate(p):
        return source.replace("block_size_x", str(p["block_size_x"])) + f"// {p['salt']}\n"

    results, _ = tune_kernel(name, generate, size, arguments, parameters, quiet=True, strategy="random_sample",
                             strategy_options={"max_fevals": 3}, restrictions=["block_size_x % 32 == 0"])
    assert len(results) == 3 and all("__error__" not in result for result in results)
    with pytest.raises(NotSupported, match="4096 are the most"):
        tune_kernel(name, generate, size, arguments, {**parameters, "salt": list(range(21))})
    with pytest.raises(NotSupported, match="16 MiB are the most"):
        tune_kernel(name, lambda p: generate(p) + " " * 6000, size, arguments, parameters)


def test_observers_add_to_results(add):
    class Seen(BenchmarkObserver):
        def register_configuration(self, params):
            self.block = params["block_size_x"]

        def get_results(self):
            return {"seen": self.block}

    class Error(OutputObserver):
        def process_output(self, answer, output):
            self.worst = float(abs(output[0] - answer[0]).max())

        def get_results(self):
            return {"worst": self.worst}

    call, expected = add
    results, _ = tune_kernel(*call, answer=[expected, None, None, None], verify=lambda answer, output: True,
                             observers=[Seen(), Error()], quiet=True)
    assert {(result["seen"], result["worst"]) for result in results} == {(64, 0.0), (96, 1.0)}


def test_a_metric_as_objective_and_a_strategy_with_a_limit(add):
    call, _ = add
    results, env = tune_kernel(*call, metrics={"GB/s": lambda p: 12 * SIZE / p["time"] / 1e6}, objective="GB/s",
                               strategy="genetic_algorithm", strategy_options={"max_fevals": 1}, quiet=True)
    assert len(results) == 1 and env["best_config"]["GB/s"] > 0


@pytest.mark.parametrize("rate, per_mille", [
    ("2000 / time", "rate / 10"), (lambda p: 2000 / p["time"], lambda p: p["rate"] / 10), ("2000 / time", lambda p: p["rate"] / 10),
])
def test_an_objective_may_read_the_metrics_before_it(add, rate, per_mille):
    metrics = {"whole": lambda p: int(1e9 * p["time"]), "rate": rate, "per_mille": per_mille}
    results, env = tune_kernel(*add[0], metrics=metrics, objective="per_mille", objective_higher_is_better=True, quiet=True)
    assert len(results) == 2 and env["best_config"]["per_mille"] == max(2000 / result["time"] / 10 for result in results)


def test_a_cache_is_written_continued_and_simulated(add, tmp_path):
    call, _ = add
    cache = tmp_path / "cache.json"
    first, _ = tune_kernel(*call, cache=cache, restrictions=["block_size_x < 96"], quiet=True)
    document = json.loads(cache.read_text())
    assert document["tune_params_keys"] == ["block_size_x"] and list(document["cache"]) == ["64"]
    second, _ = tune_kernel(*call, cache=cache, quiet=True)
    assert by_block(second)[64]["time"] == first[0]["time"] and set(by_block(second)) == {64, 96}
    third, _ = tune_kernel(*call, cache=cache, simulation_mode=True, quiet=True)
    assert {block: result["time"] for block, result in by_block(third).items()} == \
        {block: result["time"] for block, result in by_block(second).items()}
    with pytest.raises(UsageError, match="kernel_name"):
        tune_kernel("other", *call[1:], cache=cache)


def test_a_search_that_is_killed_leaves_what_it_measured_in_the_cache(add, tmp_path, monkeypatch):
    class Killed(_tune.Session):
        def wait(self, timeout=None):
            super().wait(timeout)
            raise SystemError("killed")

    monkeypatch.setattr(_tune, "Session", Killed)
    monkeypatch.setattr(_cache, "SECONDS_APART", 0)
    cache = tmp_path / "cache.json"
    with pytest.raises(SystemError, match="killed"):
        tune_kernel(*add[0], cache=cache, metrics={"rate": lambda p: 1 / p["time"]}, quiet=True)
    kept = json.loads(cache.read_text())["cache"]
    assert sorted(kept) == ["64", "96"] and [each.name for each in tmp_path.iterdir()] == ["cache.json"]
    monkeypatch.undo()
    results, _ = tune_kernel(*add[0], cache=cache, metrics={"rate": lambda p: 1 / p["time"]}, quiet=True)
    assert sorted((result["time"], result["rate"]) for result in results) == \
        sorted((each["time"], 1 / each["time"]) for each in kept.values())


def test_a_cache_of_another_device_is_refused_before_anything_is_measured(add, tmp_path):
    cache = tmp_path / "cache.json"
    tune_kernel(*add[0], cache=cache, restrictions=["block_size_x < 96"], quiet=True)
    document = json.loads(cache.read_text())
    cache.write_text(json.dumps({**document, "device_name": "Another GPU"}))
    before = cache.read_text()
    measured = []
    with pytest.raises(UsageError, match="is of Another GPU, and this call measures on"):
        tune_kernel(*add[0], cache=cache, metrics={"seen": lambda p: measured.append(p) or 1}, quiet=True)
    assert cache.read_text() == before and [p for p in measured if p["block_size_x"] == 96] == []


def test_every_call_without_a_cache_measures_anew(add):
    first, _ = tune_kernel(*add[0], quiet=True)
    second, _ = tune_kernel(*add[0], quiet=True)
    third, _ = tune_kernel(*add[0], quiet=True, strategy="random_sample", strategy_options={"max_fevals": 1})
    assert len(first) == len(second) == 2 and len(third) == 1
    assert all(a["times"] != b["times"] for a in first for b in second)


@pytest.mark.parametrize("simulated", [False, True])
def test_a_cache_gives_what_belongs_to_the_call(add, tmp_path, simulated):
    (name, source, size, arguments, _), _ = add
    cache = tmp_path / "cache.json"

    def blocks(values=(32, 64, 96, 128), size=size, **changes):
        results, _ = tune_kernel(name, source, size, arguments, {"block_size_x": list(values)}, cache=cache, quiet=True, **changes)
        return sorted(by_block(results))

    assert blocks() == [32, 64, 96, 128]
    for restrictions in (["block_size_x <= 64"], lambda p: p["block_size_x"] <= 64, (lambda x: x <= 64, ["block_size_x"])):
        assert blocks(restrictions=restrictions, simulation_mode=simulated) == [32, 64]
    assert blocks([32, 128], simulation_mode=simulated) == [32, 128]
    assert json.loads(cache.read_text())["tune_params"] == {"block_size_x": [32, 64, 96, 128]}
    with pytest.raises(ValueError, match="Cannot load cache which contains results for different problem_size"):
        blocks(size=size - 1, simulation_mode=simulated)


def test_a_simulation_of_nothing_says_so(add, tmp_path):
    tune_kernel(*add[0], cache=tmp_path / "cache.json", quiet=True)
    with pytest.raises(UsageError, match="has 2 configurations, of which none"):
        tune_kernel(*add[0], cache=tmp_path / "cache.json", quiet=True, simulation_mode=True, restrictions=["block_size_x > 999"])


def test_a_cache_keeps_what_failed(add, tmp_path):
    (name, source, *rest), _ = add
    call = (name, source.replace("int i =", "static_assert(block_size_x != 96); int i ="), *rest)
    cache = tmp_path / "cache.json"
    metrics = {"GB/s": lambda p: 12 * SIZE / p["time"] / 1e6}
    tune_kernel(*call, cache=cache, quiet=True)
    document = json.loads(cache.read_text())
    failed = document["cache"]["96"]
    assert failed["__error__"] == "CompilationFailedConfig"
    for entry in (failed, {"block_size_x": 96, "time": "CompilationFailedConfig"}):  # the second as older versions wrote it
        document["cache"]["96"] = entry
        cache.write_text(json.dumps(document))
        for simulated in (False, True):
            results, _ = tune_kernel(*call, cache=cache, simulation_mode=simulated, metrics=metrics, quiet=True)
            assert isinstance(by_block(results)[96]["__error__"], CompilationFailedConfig)
            assert by_block(results)[64]["GB/s"] > 0


def test_files_of_results(tmp_path):
    results = [{"block_size_x": 64, "time": 1.0}, {"block_size_x": 96, "time": 2.0},
               {"block_size_x": 128, "__error__": RuntimeFailedConfig()}]
    file, header = tmp_path / "results.json", tmp_path / "targets.h"
    for device in ("GPU A", "GPU B"):
        store_results(str(file), "vector_add", ADD, {"block_size_x": []}, SIZE, results, {"device_name": device})
    store_results(str(file), "vector_add", ADD, {"block_size_x": []}, SIZE, results[1:], {"device_name": "GPU B"})
    document = json.loads(file.read_text())
    assert [(each["device_name"], each["tunable_parameters"]["block_size_x"]) for each in document["data"]] == \
        [("GPU_A", 64), ("GPU_B", 96)]
    create_device_targets(str(header), str(file))
    lines = header.read_text().splitlines()
    assert lines[lines.index("#ifdef TARGET_GPU_A") + 1] == "#define block_size_x 64"
    assert lines[lines.index("#elif defined(TARGET_GPU_B)") + 1] == "#define block_size_x 96"
    store_output_file(str(tmp_path / "t4"), results, {"block_size_x": []})
    written = json.loads((tmp_path / "t4.json").read_text())["results"]
    assert [each["invalidity"] for each in written] == ["correct", "correct", "runtime"]
    assert written[0]["configuration"] == {"block_size_x": 64}


PARAMETERS = {"block_size_x": [32, 64], "block_size_y": [1, 2], "tile": [1, 2, 3]}


def test_geometry_is_kernel_tuners():
    def of(problem, x=None, y=None, z=None, names=("block_size_x", "block_size_y", "block_size_z")):
        return geometry(problem, [x, y, z], names, PARAMETERS)

    assert of(100) == (["ceil(100 / (block_size_x))", "ceil(1 / (block_size_y))", "ceil(1 / (1))"],
                       ["block_size_x", "block_size_y", "1"])
    assert of((100, 50), ["block_size_x", "tile"])[0][0] == "ceil(100 / (floor((block_size_x)) * floor((tile))))"
    assert of("tile", [])[0][0] == "ceil(floor((tile)) / (1))"
    assert of(lambda p: (p["tile"] * 7, 3), lambda p: p["block_size_x"] / 32)[0][:2] == \
        ["ceil((tile * 7) / ((block_size_x / 32)))", "ceil(3 / (block_size_y))"]
    assert of(lambda p: int(np.ceil(100 / p["tile"])), [])[0][0] == "ceil((100 if tile == 1 else (50 if tile == 2 else 34)) / (1))"
    assert of(100, lambda p: int(p["tile"]))[0][0] == "ceil(100 / ((1 if tile == 1 else (2 if tile == 2 else 3))))"
    assert of(100, names=("a", "b", "c"))[1] == ["256", "1", "1"]


def test_restrictions_of_every_kind():
    constraint = pytest.importorskip("constraint")
    made = constraints(["block_size_x * tile <= 64", lambda p: p["tile"] != 2, "max(tile, 2) == 2",
                        (constraint.MaxSumConstraint(65), ["block_size_x", "tile"]),
                        constraint.FunctionConstraint(lambda x, y, t: t < 3)], PARAMETERS)
    assert made[0] == "(block_size_x * tile <= 64)" and made[1] == "(tile != 2)"
    for block, tile in itertools.product([32, 64], [1, 2, 3]):
        assert eval(made[3], {"block_size_x": block, "tile": tile, "false": False, "true": True}) == (block + tile <= 65)
    assert made[4] == "(tile < 3)"


def test_a_tuple_of_restrictions_is_several():
    assert constraints(("block_size_x > 32", "tile == 1"), PARAMETERS) == ["(block_size_x > 32)", "(tile == 1)"]
    assert constraints((lambda x: x > 1, ["tile"]), PARAMETERS) == ["(tile > 1)"]
    with pytest.raises(UsageError, match=r"restrictions\[0\] is a tuple; expected .* a list of parameters"):
        constraints([("block_size_x > 32", "tile == 1")], PARAMETERS)


def test_a_source_in_files(tmp_path):
    (tmp_path / "a.cu").write_text("// a\n")
    assert source_text(tmp_path / "a.cu", PARAMETERS) == ("// a\n", [tmp_path])
    assert source_text([str(tmp_path / "a.cu"), str(tmp_path / "b.h")], PARAMETERS)[0] == "// a\n"
    with pytest.raises(UsageError, match="no file"):
        source_text("none.cu", PARAMETERS)


class Hooked(BenchmarkObserver):
    def before_start(self):
        raise AssertionError

    def get_results(self):
        return {}


@pytest.mark.parametrize("argument, value", [
    ("lang", "OpenCL"), ("texmem_args", {"a": 1}), ("compiler", "nvcc"), ("smem_args", {"carveout": 1}),
    ("observers", [Hooked()]), ("strategy", "nsga2"), ("strategy_options", {"popsize": 3}), ("objective", "energy"),
    ("objectives", {"time": False}), ("simulation_mode", True),
])
def test_what_is_not_supported_raises_naming_the_argument(add, argument, value):
    with pytest.raises(NotSupported, match=f"^{argument}:"):
        tune_kernel(*add[0], **{argument: value})
