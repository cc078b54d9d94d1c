"""What happens to a training request: read, checked whole, queued.

Everything that can be known without fitting is checked here, so that a job that was
accepted does not fail for a reason its sender could have been told at once.
"""

from app.train.enough import row_errors
from app.train.pairs import pair_errors
from app.train.parsing import Submission, read_body
from app.train.refusal import refuse
from app.train.target import Sample, read_sample

__all__ = ["accept", "check"]


def accept(body: bytes) -> Submission:
    """Read and check a request; what is returned can be trained.

    Raises
    ------
    MalformedRequestError
        When the body is no JSON.
    InvalidRequestError
        When it is not acceptable; every error names its place and the way out.
    """
    submission = read_body(body)
    check(submission)
    return submission


def check(submission: Submission) -> Sample:
    """Check what the schema alone cannot: pairs, labels, weights, enough rows."""
    faults = pair_errors(submission.request)
    if faults:
        raise refuse(faults)
    sample = read_sample(submission)
    faults = row_errors(submission.request, sample)
    if faults:
        raise refuse(faults)
    return sample
