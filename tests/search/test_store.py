"""What only somebody who adds a source could get wrong."""

import pytest

from teamspace.search.store import _merge_params


def test_fences_mean_the_same_by_the_same_names() -> None:
    assert _merge_params({"org_id": "a"}, {"org_id": "a", "now": "x"}) == {"org_id": "a", "now": "x"}
    with pytest.raises(ValueError, match="org_id"):
        _merge_params({"org_id": "a"}, {"org_id": "b"})
