"""What holds for every property test: the same draws each time, and no clock.

    make test   the draws follow from the test itself: what passed once passes again
    make soak   new draws every time (the profile ``free``)

A busy machine is no fault: nothing is asked of the time that an example takes.

Compiled loops are kept in one folder for the tests and for the services they start, as
``app.worker.compiled`` keeps them.
"""

import os
from pathlib import Path

from hypothesis import HealthCheck, settings

from app.worker.compiled import cache_environment

os.environ.update(cache_environment(Path(__file__).parents[1] / "var"))

settings.register_profile(
    "free",
    deadline=None,
    suppress_health_check=[
        HealthCheck.too_slow,
        # Fixtures are shared by the examples of a test, as they say themselves.
        HealthCheck.function_scoped_fixture,
    ],
)
settings.register_profile("seeded", settings.get_profile("free"), derandomize=True)
settings.load_profile("seeded")
