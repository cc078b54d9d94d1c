"""Work in threads: results in order, the first fault first, little in memory."""

import threading

import pytest

from app.batch.ordered import in_order
from app.errors import InvalidRequestError

END = "the file"


def refused(item):
    return InvalidRequestError(f"fault of {item}")


def until_the_fault(results):
    """Return what came, and what was told then."""
    found = []
    try:
        found.extend(results)
    except InvalidRequestError as error:
        return found, str(error)
    return found, None


def test_results_come_in_the_order_of_their_items():
    turn = threading.Barrier(2)

    def work(item):
        if item in {0, 1}:
            turn.wait(60)  # both are under way at once, the second may end first
        return item * item

    assert list(in_order(work, range(50), 4)) == [item * item for item in range(50)]


@pytest.mark.parametrize("stops", [False, True], ids=["read whole", "not read whole"])
@pytest.mark.parametrize("in_flight", [1, 4])
@pytest.mark.parametrize("at", [0, 3, 7])
def test_the_first_fault_is_told_whatever_fails_before_it_in_time(at, in_flight, stops):
    later = threading.Event()

    def items():
        yield from range(9)
        if stops:
            raise refused(END)

    def work(item):
        if item == at:
            later.wait(0.05)
            raise refused(item)
        if item > at:
            later.set()
            raise refused(item)
        return item

    found, told = until_the_fault(in_order(work, items(), in_flight))
    assert found == list(range(at))
    assert told == f"fault of {at}"


def test_what_cannot_be_read_is_told_after_the_results_before_it():
    def items():
        yield from range(3)
        raise refused(END)

    found, told = until_the_fault(in_order(str, items(), 8))
    assert found == ["0", "1", "2"]
    assert told == f"fault of {END}"


def test_items_are_taken_no_further_ahead_than_asked():
    taken = []

    def items():
        for item in range(20):
            taken.append(item)
            yield item

    for result in in_order(lambda item: item, items(), 3):
        assert len(taken) <= result + 4
