"""The P-SVM: what its targets mean, its link, and the paper's two experiments."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from solvers import scoring
from solvers.costs import CostMatrix
from solvers.trainers.psvm import ProbabilisticLabelSVC
from solvers.trainers.svm import HingeSVC


@parametrize_with_checks([ProbabilisticLabelSVC()])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def drawn(rows=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 2))
    return X, 1.0 / (1.0 + np.exp(-2.0 * X[:, 0] + X[:, 1]))


def same(one, two, X):
    np.testing.assert_allclose(
        one.decision_function(X), two.decision_function(X), atol=1e-9
    )


class TestTargets:
    def test_any_value_inside_makes_them_probabilities(self):
        X, p = drawn()
        target = np.where(p > 0.95, 1.0, np.where(p < 0.05, 0.0, p))
        model = ProbabilisticLabelSVC().fit(X, target)
        np.testing.assert_array_equal(model.classes_, [-1, 1])
        marked = np.where(target == 0.0, -1.0, target)
        same(model, ProbabilisticLabelSVC().fit(X, marked), X)

    def test_numbers_in_a_column_of_objects_are_numbers(self):
        X, p = drawn()
        model = ProbabilisticLabelSVC().fit(X, p.astype(object))
        same(model, ProbabilisticLabelSVC().fit(X, p), X)

    def test_minus_one_zero_and_one_are_probabilities(self):
        X, p = drawn()
        target = np.where(p > 0.6, 1, np.where(p < 0.3, -1, 0))
        model = ProbabilisticLabelSVC().fit(X, target)
        np.testing.assert_array_equal(model.classes_, [-1, 1])
        same(model, ProbabilisticLabelSVC().fit(X, np.where(target == 1, 1, -1)), X)

    @pytest.mark.parametrize(
        ("low", "high"), [(-1, 1), (0, 1), (3, 7), (0.5, 1.5), ("no", "yes")]
    )
    def test_two_other_values_are_labels_and_the_machine_is_the_ordinary_one(
        self, low, high
    ):
        X, p = drawn()
        y = np.where(p > 0.5, high, low)
        model = ProbabilisticLabelSVC(C=2.0, pos_label=high).fit(X, y)
        np.testing.assert_array_equal(model.classes_, [low, high])
        assert set(model.predict(X)) <= {low, high}
        same(model, HingeSVC(C=2.0).fit(X, np.where(p > 0.5, 1, -1)), X)

    @pytest.mark.parametrize(
        "y", [[0.2, 0.4, 1.2], [-0.5, 0.5, 1.0], [0, 1, 2], ["a", "b", "c"]]
    )
    def test_other_targets_are_an_unknown_label_type(self, y):
        X, _ = drawn(12)
        with pytest.raises(ValueError, match="Unknown label type"):
            ProbabilisticLabelSVC().fit(X, np.tile(y, 4))

    @pytest.mark.parametrize("y", [1.0, 0.0, -1, 4, "a"])
    def test_one_class_is_refused(self, y):
        X, _ = drawn(6)
        with pytest.raises(ValueError, match="1 class"):
            ProbabilisticLabelSVC().fit(X, [y] * 6)

    def test_minus_one_and_zero_are_both_certainly_not(self):
        X, _ = drawn(6)
        with pytest.raises(ValueError, match="1 class"):
            ProbabilisticLabelSVC().fit(X, [-1, 0, 0, -1, 0, -1])

    def test_rows_of_weight_zero_do_not_tell_what_the_targets_mean(self):
        X, p = drawn(40)
        y = np.where(p > 0.5, 1.0, -1.0)
        y[0] = 0.4
        weights = np.ones(40)
        weights[0] = 0.0
        model = ProbabilisticLabelSVC().fit(X, y, sample_weight=weights)
        same(model, ProbabilisticLabelSVC().fit(X[1:], y[1:]), X)


class TestLink:
    def test_margins_are_eta_and_its_complement(self):
        X, p = drawn()
        model = ProbabilisticLabelSVC(eta=0.2).fit(X, p)
        f = model.decision_function(X)
        assert model.link_slope_ == pytest.approx(np.log(4.0))
        expected = 1.0 / (1.0 + np.exp(-model.link_slope_ * f))
        both = model.predict_proba(X)
        np.testing.assert_allclose(both[:, 1], expected, rtol=1e-12)
        np.testing.assert_allclose(both.sum(axis=1), 1.0, rtol=1e-12)
        at_margin = 1.0 / (1.0 + np.exp(-model.link_slope_))
        assert at_margin == pytest.approx(0.8)

    def test_targets_are_met_within_eta_where_c_is_large(self):
        X, p = drawn(60)
        model = ProbabilisticLabelSVC(C=1e3, C_prob=1e3, eta=0.1, tol=1e-6).fit(X, p)
        off = np.abs(model.predict_proba(X)[:, 1] - p)
        assert off.max() <= 0.1 + 1e-3
        assert off.max() > 0.05

    def test_decisions_are_the_cheapest_ones_at_the_predicted_probability(self):
        X, p = drawn()
        costs = CostMatrix(1, 2, 0.4, 0.2)
        model = ProbabilisticLabelSVC(C=10.0, C_prob=10.0, costs=costs).fit(X, p)
        chance = model.predict_proba(X)[:, 1]
        cheapest = np.array([1, -1, 0])[np.argmin(costs.expected(chance), axis=1)]
        np.testing.assert_array_equal(model.decide(X), cheapest)
        assert set(model.decide(X)) == {-1, 0, 1}

    def test_without_costs_a_reject_costs_a_quarter(self):
        X, p = drawn()
        model = ProbabilisticLabelSVC(C=10.0, C_prob=10.0).fit(X, p)
        chance = model.predict_proba(X)[:, 1]
        expected = np.where(chance > 0.75, 1, np.where(chance < 0.25, -1, 0))
        np.testing.assert_array_equal(model.decide(X), expected)

    def test_the_served_form_has_the_same_scores_and_link(self):
        X, p = drawn()
        model = ProbabilisticLabelSVC(C=10.0, eta=0.15).fit(X, p)
        scorer = scoring.load(model.scorer_payload())
        np.testing.assert_allclose(
            scorer.score(X), model.decision_function(X), atol=1e-10
        )
        np.testing.assert_allclose(
            scorer.probability(X), model.predict_proba(X)[:, 1], atol=1e-10
        )


class TestPrecision:
    def test_the_same_precision_everywhere_is_eta(self):
        X, p = drawn()
        one = ProbabilisticLabelSVC(eta=0.1).fit(X, p)
        two = ProbabilisticLabelSVC(eta=0.1).fit(X, p, label_precision=[0.1] * len(p))
        same(one, two, X)

    def test_a_precise_row_is_met_more_closely_under_the_one_link(self):
        X, p = drawn(60)
        precision = np.where(np.arange(60) % 2, 0.02, 0.2)
        model = ProbabilisticLabelSVC(C=1e4, C_prob=1e4, eta=0.1, tol=1e-6)
        model.fit(X, p, label_precision=precision)
        assert model.link_slope_ == pytest.approx(np.log(9.0))
        off = np.abs(model.predict_proba(X)[:, 1] - p)
        assert (off <= precision + 1e-3).all()
        assert off[precision > 0.1].max() > 0.05

    @pytest.mark.parametrize("bad", [0.0, 0.5, np.nan])
    def test_it_lies_between_zero_and_one_half(self, bad):
        X, p = drawn(20)
        with pytest.raises(ValueError, match="label_precision"):
            ProbabilisticLabelSVC().fit(X, p, label_precision=np.full(20, bad))

    def test_it_has_one_number_a_row(self):
        X, p = drawn(20)
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            ProbabilisticLabelSVC().fit(X, p, label_precision=np.full(19, 0.1))


def test_weights_are_repeated_rows_also_for_probabilities():
    X, p = drawn(50)
    weights = np.arange(50) % 3
    repeated = np.repeat(np.arange(50), weights)
    model = ProbabilisticLabelSVC(C=5.0)
    weighted = clone(model).fit(X, p, sample_weight=weights)
    same(weighted, clone(model).fit(X[repeated], p[repeated]), X)


def test_class_weights_count_a_row_by_its_share_of_both_classes():
    X, p = drawn(60)
    model = ProbabilisticLabelSVC(class_weight={1: 3.0, -1: 0.5}).fit(X, p)
    by_hand = ProbabilisticLabelSVC().fit(X, p, sample_weight=3.0 * p + 0.5 * (1 - p))
    # Weights also enter "scale"; the kernel is fixed for the comparison.
    assert model.kernel_.gamma != by_hand.kernel_.gamma
    fixed = ProbabilisticLabelSVC(gamma=0.5)
    one = clone(fixed).set_params(class_weight={1: 3.0, -1: 0.5}).fit(X, p)
    same(one, fixed.fit(X, p, sample_weight=3.0 * p + 0.5 * (1 - p)), X)


def test_mirrored_targets_give_the_mirrored_machine():
    X, p = drawn(80)
    one = ProbabilisticLabelSVC(C=5.0).fit(X, p)
    two = ProbabilisticLabelSVC(C=5.0).fit(X, 1.0 - p)
    np.testing.assert_allclose(
        one.decision_function(X), -two.decision_function(X), atol=1e-9
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [("eta", 0.0), ("eta", 0.5), ("C_prob", 0.0), ("C", -1.0), ("C_prob", np.inf)],
)
def test_parameters_out_of_range_are_named(name, value):
    X, p = drawn(20)
    with pytest.raises(ValueError, match=name):
        ProbabilisticLabelSVC(**{name: value}).fit(X, p)


def binary_kl(true, predicted):
    """Return the mean Kullback-Leibler divergence of the two-class distributions."""
    return np.mean(
        true * np.log(true / predicted)
        + (1 - true) * np.log((1 - true) / (1 - predicted))
    )


def gaussians(rng, rows, means, variance):
    """Return rows of two normal classes and their true probability of +1."""
    y = np.repeat([-1.0, 1.0], rows // 2)
    half = np.atleast_1d(means)
    X = rng.normal(size=(rows, len(half))) * np.sqrt(variance) + y[:, None] * half
    return X, 1.0 / (1.0 + np.exp(-2.0 * X @ half / variance))


def chosen_by_cross_validation(X, p, gammas):
    """Return the machine whose width predicts the unseen folds' targets best."""
    folds = np.arange(len(p)) % 5
    losses = []
    for gamma in gammas:
        model = ProbabilisticLabelSVC(C=100.0, C_prob=100.0, eta=0.1, gamma=gamma)
        total = 0.0
        for fold in range(5):
            model.fit(X[folds != fold], p[folds != fold])
            q = model.predict_proba(X[folds == fold])[:, 1]
            target = np.clip(p[folds == fold], 1e-3, 1 - 1e-3)
            total += binary_kl(target, np.clip(q, 1e-9, 1 - 1e-9))
        losses.append(total)
    best = gammas[int(np.argmin(losses))]
    model = ProbabilisticLabelSVC(C=100.0, C_prob=100.0, eta=0.1, gamma=best)
    return model.fit(X, p)


@pytest.mark.parametrize("seed", [0, 1])
def test_section_5_1_probabilities_are_recovered(seed):
    rng = np.random.default_rng(seed)
    X, p = gaussians(rng, 200, 0.5, 0.3)
    unseen, true = gaussians(rng, 1000, 0.5, 0.3)
    model = chosen_by_cross_validation(X, p, (0.02, 0.05, 0.2, 1.0))
    predicted = model.predict_proba(unseen)[:, 1]
    assert binary_kl(true, predicted) < 0.001


@pytest.mark.parametrize("seed", [0, 1])
def test_section_5_2_noisy_probabilities_still_give_the_bayes_rule(seed):
    rng = np.random.default_rng(seed)
    X, p = gaussians(rng, 200, (0.3, 0.5), 0.7)
    noisy = np.clip(p + rng.uniform(-0.1, 0.1, len(p)), 0.0, 1.0)
    unseen, true = gaussians(rng, 1000, (0.3, 0.5), 0.7)
    model = chosen_by_cross_validation(X, noisy, (0.02, 0.05, 0.2))
    predicted = model.predict_proba(unseen)[:, 1]
    assert binary_kl(true, predicted) < 0.004
    assert np.mean((predicted > 0.5) == (true > 0.5)) > 0.98
