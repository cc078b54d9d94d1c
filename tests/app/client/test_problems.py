"""Places and parameters of HTTP in the words of the command line."""

import pytest

from app.client.problems import as_options, option_of, problem_error
from app.errors import FieldError, InvalidRequestError, UnknownModelError


@pytest.mark.parametrize(
    ("pointer", "option"),
    [
        ("", ""),
        ("/model", "--model"),
        ("/trainer/kind", "--trainer"),
        ("/trainer/kernel/gamma", "--set trainer.kernel.gamma"),
        ("/rule", "--rule"),
        ("/rule/max_error", "--set rule.max_error"),
        ("/costs", "the costs"),
        ("/costs/reject_positive", "--reject-positive"),
        ("/evaluation/order_by", "--order-by"),
        ("/evaluation/calibration", "--set evaluation.calibration"),
        ("/target", "--target"),
        ("/target/weight", "--weight"),
        ("/search/params/kernel.gamma/2", "--search kernel.gamma"),
        ("/data/columns/3", "the file"),
        ("/query/false_negative", "--false-negative"),
        ("/a~1b/c~0d", "--set a/b.c~d"),
    ],
)
def test_a_pointer_is_the_option_that_said_it(pointer, option):
    assert option_of(pointer) == option


def test_parameters_of_a_query_are_options():
    told = "with decimal=, it would be numbers; or name the mark by missing="
    assert as_options(told) == (
        "with --decimal , it would be numbers; or name the mark by --missing"
    )
    assert as_options(
        "name it by missing=, or correct it; encoding= names another"
    ) == ("name it by --missing, or correct it; --encoding names another")
    assert as_options("say missing=-999 (decimal=. reads it so)") == (
        "say --missing -999 (--decimal . reads it so)"
    )
    told = "say header=false where the file has no names, or header=true"
    assert as_options(told) == (
        "say --no-header where the file has no names, or --header"
    )


def told(error):
    return problem_error(error.problem())


def test_faults_are_lines_with_their_place():
    faults = [
        FieldError("/data/rows/3/1", "every row needs its label", 3, "sick"),
        FieldError("/trainer/C", "too small"),
        *(FieldError(f"/costs/{i}", "wrong") for i in range(5)),
    ]
    error = told(InvalidRequestError("row 3: every row needs its label", faults))
    lines = str(error).split("\n  ")
    assert lines[1] == "row 4, column 'sick': every row needs its label"
    assert lines[2] == "--set trainer.C: too small"
    assert lines[-1] == "and 2 more"
    assert error.rows == (3,)


def test_a_fault_that_names_its_own_place_is_told_once():
    detail = "row 2, column 1 ('x'): not a number"
    error = told(InvalidRequestError(detail, [FieldError("/rows/2/0", detail, 2, "x")]))
    assert str(error).split("\n  ")[1] == "row 3, column 1 ('x'): not a number"
    detail = "line 2, 'x': its commas may stand before decimals"
    error = told(InvalidRequestError(detail, [FieldError("", detail, None, "x")]))
    assert str(error).split("\n  ")[1] == detail


def test_what_does_not_exist_is_told_with_the_command_that_lists():
    error = told(UnknownModelError("no model has this name; see GET /models"))
    assert str(error) == "No such model\n  no model has this name; see `demur models`"
