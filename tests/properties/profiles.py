# SPDX-License-Identifier: Apache-2.0
"""How many examples: `make test` takes `quick`, the default, `make check` takes HYPOTHESIS_PROFILE=long, and nothing takes
`endless` but a night."""

import os

from hypothesis import HealthCheck, settings
from hypothesis.database import DirectoryBasedExampleDatabase

from conftest import ROOT

# Each answer is a process: an example has no deadline, and being slow to draw is no mistake.
_common = {"deadline": None, "suppress_health_check": list(HealthCheck), "print_blob": True,
           "database": DirectoryBasedExampleDatabase(ROOT / "build" / "hypothesis")}
settings.register_profile("quick", max_examples=50, **_common)
settings.register_profile("long", max_examples=250, **_common)
settings.register_profile("endless", max_examples=2000, **_common)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


def times(factor, **more):
    """Settings of a test that takes more or fewer examples than the profile says."""
    return settings(max_examples=max(1, int(settings().max_examples * factor)), **more)
