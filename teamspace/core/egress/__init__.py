"""The one way out: every HTTP request that the server makes.

A URL is parsed once, by an unambiguous grammar. Its host is resolved for every request, every resulting address is
checked, and exactly one of them is called, with the certificate verified for the host. There is no client around the
connections, so there are no redirects, no cookies and no proxies from the environment. A connection is used again only
for the same company, host and address.
"""

from teamspace.core.egress.client import Egress, HttpResponse
from teamspace.core.egress.requests import (
    INSTANCE,
    MAX_BYTES,
    EgressFailed,
    EgressFault,
    NetworkReach,
    OutgoingRequest,
    Progress,
    Timeouts,
)
from teamspace.core.egress.urls import Destination, EgressRefused, parse, parse_host_port

__all__ = [
    "INSTANCE",
    "MAX_BYTES",
    "Destination",
    "Egress",
    "EgressFailed",
    "EgressFault",
    "EgressRefused",
    "HttpResponse",
    "NetworkReach",
    "OutgoingRequest",
    "Progress",
    "Timeouts",
    "parse",
    "parse_host_port",
]
