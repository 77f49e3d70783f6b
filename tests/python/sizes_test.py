"""warptune.tune_sizes on the host backend, and what warptune.work refuses."""
import pytest

import warptune
from conftest import QUICK

CALL = dict(device="host", budget=6, finals=0, measuring=QUICK, store=":memory:", constraints=["SIZE > 0"])


@pytest.mark.parametrize("strategy", ["auto", "random"])  # one model for all of them; each by itself
def test_sizes_share_the_budget_and_have_a_session_each(strategy):
    tuned = warptune.tune_sizes("vector_add", [{"SIZE": 1000}, {"SIZE": 5000}], strategy=strategy, **CALL)
    assert [each.problem["SIZE"] for each in tuned] == [1000, 5000]
    assert sum(each.trials for each in tuned) == 6
    for each in tuned:
        assert each.session.kernel == "vector_add" and each.session.winner.time_ms > 0
        assert len(each.session.trials) == each.trials and each.seconds > 0
    assert "findings" not in repr(tuned[0])


def test_a_store_goes_on_with_the_sessions(tmp_path):
    call = {**CALL, "store": tmp_path / "s.db"}
    first = warptune.tune_sizes("vector_add", [{"SIZE": 1000}, {"SIZE": 5000}], **call)
    again = warptune.tune_sizes("vector_add", [{"SIZE": 1000}, {"SIZE": 5000}], **call)
    assert [each.session.id for each in again] == [each.session.id for each in first]
    assert len(warptune.Store(tmp_path / "s.db").sessions("vector_add")) == 2


@pytest.mark.parametrize("sizes, error, words", [
    ({"SIZE": 1000}, warptune.UsageError, "no list of problems"), ([1000], warptune.UsageError, "no list of problems"),
    ([], warptune.TuningError, "the list of problems is empty"), ([{"M": 3}], warptune.TuningError, "M"),
    ([{"SIZE": 9}, {"SIZE": 9}], warptune.TuningError, "name each problem once"),
])
def test_problems_that_cannot_be_meant_are_refused(sizes, error, words):
    with pytest.raises(error, match=words):
        warptune.tune_sizes("vector_add", sizes, **CALL)


def test_work_needs_a_store_on_a_server(tmp_path):
    with pytest.raises(warptune.TuningError, match="s.db") as refused:
        warptune.work(str(tmp_path / "s.db"), device="host", drain=True)
    assert refused.value.kind == "store"
