"""Parameters of several search sources."""

import pytest

from teamspace.search.store import _merge_params


def test_parameters_with_the_same_name_must_have_the_same_value() -> None:
    assert _merge_params({"org_id": "a"}, {"org_id": "a", "now": "x"}) == {"org_id": "a", "now": "x"}
    with pytest.raises(ValueError, match="org_id"):
        _merge_params({"org_id": "a"}, {"org_id": "b"})
