"""What happens to a training request: read, checked whole, queued.

Everything that can be known without fitting is checked here, so that a job that was
accepted does not fail for a reason its sender could have been told at once.
"""

from app.errors.faults import refuse
from app.train.minimum_rows import landmark_errors, row_errors
from app.train.parsing import Stored, Submission, no_datasets, read_body
from app.train.price_columns import price_errors
from app.train.schemas import DatasetData
from app.train.score_columns import score_errors
from app.train.target import Sample, find_roles, read_sample

__all__ = ["accept", "check"]


def accept(body: bytes, outline: Stored = no_datasets) -> Submission:
    """Read and check a request; what is returned can be trained.

    Parameters
    ----------
    body : bytes
    outline : callable
        Gives the columns of a data set, as a table without rows: its rows are
        checked by the training.

    Raises
    ------
    MalformedRequestError
        When the body is no JSON.
    InvalidRequestError
        When it is not acceptable; every error names its place and the way out.
    """
    submission = read_body(body, outline)
    if isinstance(submission.request.data, DatasetData):
        _check_columns(submission)
    else:
        check(submission)
    return submission


def _check_columns(submission: Submission) -> None:
    """Check what can be known without rows: the columns that are named."""
    names = submission.table.names
    taken = {place.name for place in find_roles(submission.request, names).values()}
    features = tuple(name for name in names if name not in taken)
    faults = list(score_errors(submission.plan, submission.table, features))
    faults += price_errors(submission.request, submission.table)
    if faults:
        raise refuse(faults)


def check(submission: Submission) -> Sample:
    """Check what the plan alone cannot: labels, weights, enough rows.

    Where rows are first seen: inline ones when the training is asked for, those of a
    data set when it is trained on.
    """
    sample = read_sample(submission)
    faults = list(score_errors(submission.plan, submission.table, sample.features))
    faults += price_errors(submission.request, submission.table)
    if faults:
        raise refuse(faults)
    # Every candidate of a search needs the same parts.
    candidates = submission.plan.candidates
    faults = row_errors(candidates[0].request, sample)
    faults += [one for each in candidates for one in landmark_errors(each, sample)]
    if faults:
        raise refuse(faults)
    return sample
