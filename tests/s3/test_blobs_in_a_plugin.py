"""The tests of the S3 path that move bytes, once more with a plugin as the blob store."""

from collections.abc import Callable

import pytest

from tests.s3.conftest import IN_PLUGIN, SharedBucket
from tests.s3.help import Instance
from tests.s3.prefixed_bucket import PrefixedBucket
from tests.s3.test_conformance_copies import *  # noqa: F403
from tests.s3.test_conformance_multipart import *  # noqa: F403
from tests.s3.test_conformance_reading import *  # noqa: F403
from tests.s3.test_conformance_versions import *  # noqa: F403
from tests.s3.test_conformance_writing import *  # noqa: F403

pytestmark = [pytest.mark.about("blobs", "plugins"), pytest.mark.sampled(8)]


@pytest.fixture(scope="session", params=["sqlite", "postgres"])
def shared_bucket(request: pytest.FixtureRequest, instances: Callable[[str], Instance]) -> SharedBucket:
    instance = instances(f"{request.param}{IN_PLUGIN}")
    return SharedBucket(instance, PrefixedBucket(instance.ann.key()))
