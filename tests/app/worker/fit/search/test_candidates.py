"""What a search may ask for, what is refused, and which candidates it stands for."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import ApiError, InvalidRequestError
from app.train.search import MOST_CANDIDATES
from app.train.service import accept

SVM, TREES = {"kind": "svm"}, {"kind": "gradient-boosting"}


def refused(body):
    with pytest.raises(InvalidRequestError) as caught:
        accept(json.dumps(body).encode())
    return {fault.pointer: fault.detail for fault in caught.value.errors}


def spread(body):
    return list(accept(json.dumps(body).encode()).plan.candidates)


def listed(*candidates_):
    return {"trainer": None, "search": {"candidates": list(candidates_)}}


@pytest.mark.parametrize(
    ("changes", "pointer", "words"),
    [
        ({"search": {}}, "/search", '"params" (values to try) or "candidates"'),
        ({"search": {"params": {"c": [1]}}}, "/search/params/c", "it has: kernel,"),
        (
            {"trainer": TREES, "search": {"params": {"kernel.gamma": [1]}}},
            "/search/params/kernel.gamma",
            "it has: n_rounds,",
        ),
        (
            {"search": {"params": {"C": [1, -1]}}},
            "/search/params/C/1",
            "at least 1e-09",
        ),
        (
            {"search": {"params": {"C": ["1"]}}},
            "/search/params/C/0",
            "must be a number",
        ),
        ({"search": {"params": {"C": []}}}, "/search/params/C", "must not be empty"),
        ({"search": {"params": {"C": 1}}}, "/search/params/C", "list"),
        ({"search": {"params": {"C": [2, 1, 2]}}}, "/search/params/C/2", "before"),
        (
            {"search": {"params": {"kernel.gamma": [0.1, "wide"]}}},
            "/search/params/kernel.gamma/1",
            "'scale' or 'auto'",
        ),
        (
            {"search": {"params": {"kernel.degree": [2]}}},
            "/search/params/kernel.degree/0",
            "leave it out",
        ),
        (
            {"search": {"params": {"reduction.distance": [0.1]}}},
            "/trainer/reduction/kind",
            'a "kind" is needed',
        ),
        (
            {"search": {"params": {"C": [*range(1, 35)], "tol": [0.1, 0.2, 0.3]}}},
            "/search/params",
            f"102 candidates, at most {MOST_CANDIDATES}",
        ),
        (
            listed(
                {**SVM, "params": {"C": [*range(1, 61)]}},
                {**TREES, "params": {"n_rounds": [*range(1, 61)]}},
            ),
            "/search",
            f"120 candidates, at most {MOST_CANDIDATES}",
        ),
        ({"search": {"params": {"C": [1]}, "folds": 1}}, "/search/folds", "at least 2"),
        ({"search": {"params": {"C": [1]}, "n": 1}}, "/search/n", "leave it out"),
        ({"search": {"candidates": [SVM]}}, "/trainer", "leave it out"),
        (listed(SVM, {"kind": "x"}), "/search/candidates/1/kind", "available: double"),
        (listed({**SVM, "c": 1}), "/search/candidates/0/c", "leave it out"),
        (
            listed(SVM, {**TREES, "params": {"max_depth": [99]}}),
            "/search/candidates/1/params/max_depth/0",
            "must be at most",
        ),
        (
            listed(SVM, {"kind": "abstention-boosting", "surrogate": "max"}),
            "/search/candidates/1/surrogate",
            "use sum",
        ),
        ({**listed(SVM), "rule": {"kind": "plug-in"}}, "/rule/kind", "trainer svm"),
        (
            {**listed(SVM), "rule": {"kind": "symmetric"}, "costs": None},
            "/costs",
            "needs costs",
        ),
        (
            {"trainer": {"kind": "auto"}, "rule": {"kind": "embedded"}},
            "/rule/kind",
            "does not fit the trainer auto",
        ),
        (
            {"trainer": {"kind": "auto"}, "search": {"params": {"C": [1]}}},
            "/search",
            "auto weighs members on folds of its own",
        ),
        ({"trainer": {"kind": "auto", "C": 1}}, "/trainer/C", "leave it out"),
        ({"trainer": None}, "/trainer", "is missing"),
        (
            {
                "search": {"params": {"C": [1]}},
                "rule": {"kind": "plug-in"},
                "costs": None,
            },
            "/costs",
            "needs costs",
        ),
    ],
)
def test_a_refusal_names_the_place_and_the_way_out(body, changes, pointer, words):
    faults = refused(body(**changes))
    assert pointer in faults, faults
    assert words in faults[pointer]


def test_every_combination_is_a_candidate(body):
    found = spread(
        body(search={"params": {"C": [1, 2], "kernel.gamma": [0.1, "auto"]}})
    )
    assert [one.varied for one in found] == [
        {"C": c, "kernel.gamma": g} for c in (1, 2) for g in (0.1, "auto")
    ]
    trainers = [one.request.trainer for one in found]
    assert [(t.C, t.kernel.gamma) for t in trainers] == [
        (1, 0.1),
        (1, "auto"),
        (2, 0.1),
        (2, "auto"),
    ]
    assert all(one.request.search is None for one in found)


def test_an_object_is_replaced_before_what_is_inside_it(body):
    kernels = [{"kind": "linear"}, {"kind": "rbf"}]
    found = spread(body(search={"params": {"kernel": kernels}}))
    assert [one.request.trainer.kernel.kind for one in found] == ["linear", "rbf"]
    given = {"kind": "svm", "kernel": {"kind": "polynomial", "degree": 2}}
    varied = {"kernel.degree": [2, 4], "reduction": [None, {"kind": "sca"}]}
    found = spread(body(trainer=given, search={"params": varied}))
    assert {one.request.trainer.kernel.degree for one in found} == {2, 4}
    assert sum(one.request.trainer.reduction is None for one in found) == 2


def test_candidates_vary_parameters_of_their_own(body):
    found = spread(body(**listed({**SVM, "tol": 0.1, "params": {"C": [1, 3]}}, TREES)))
    assert [one.request.trainer.kind for one in found] == ["svm"] * 2 + [TREES["kind"]]
    assert [one.varied for one in found] == [{"C": 1}, {"C": 3}, {}]
    assert found[0].request.trainer.tol == 0.1
    assert found[0].place == ("search", "candidates", 0)


def test_a_request_without_a_search_is_its_only_candidate(body):
    (only,) = spread(body())
    assert (only.varied, only.request.trainer.kind) == ({}, "double-hinge-svm")


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=10**300, max_value=10**320)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["scale", "rbf", "m1rs", "auto", "balanced", ""])
    | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(["kind", "gamma", "C", "x"]), inner, max_size=2
        )
    ),
    max_leaves=4,
)
NAMES = st.sampled_from(
    ["C", "kernel", "kernel.kind", "kernel.gamma", "reduction", "reduction.kind",
     "reduction.first_stage", "reduction.first_stage.C", "solver", "kind", "", ".",
     "params", "a/b~c"]
)  # fmt: skip
PARAMS = st.dictionaries(NAMES, st.lists(VALUES, max_size=3), max_size=3)


@settings(max_examples=200)
@given(params=PARAMS, listed_=st.booleans())
def test_whatever_is_asked_for_has_an_answer(body, params, listed_):
    changes = (
        listed({**SVM, "params": params}) if listed_ else {"search": {"params": params}}
    )
    found, faults = [], ()
    try:
        found = spread(body(**changes))
    except ApiError as refusal:
        faults = refusal.errors
    assert found or faults
    assert all(fault.pointer and fault.detail for fault in faults)
