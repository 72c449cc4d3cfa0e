"""Shipping lanes: a tool and routes that answer at once, and a kind of job that only a remote worker can do.

A worker claims `x.integrator-demo.lane-report` over HTTP. The server does not trust it: `check_report` decides whether
its result is accepted.
"""

from typing import Annotated

import msgspec

from teamspace.sdk import JobSpec, Permission, PluginRequest, PluginRoute, Tool, UserError

DAYS = {"hamburg-oslo": 2, "hamburg-shanghai": 31, "rotterdam-new-york": 9, "singapore-sydney": 12}
USUAL_DAYS = 14
"""For a lane that is not in the table."""


class Lane(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    lane: Annotated[str, msgspec.Meta(max_length=200, description="The shipping lane, such as hamburg-oslo.")] = ""


class Eta(msgspec.Struct, frozen=True):
    lane: str
    days: int
    known: bool


class LaneReport(msgspec.Struct, frozen=True):
    lane: str
    shipments: int
    on_time: float


# fmt: off
TOOLS = (
    Tool("shipment_eta", "estimate", "Estimate how many days a shipment takes on a lane.", Permission.CHAT_USE, only_documents=True),
)
ROUTES = (
    PluginRoute("GET",  "/eta", Permission.CHAT_USE, "estimate_query", "Estimate how many days a shipment takes on the lane in the query.", query=Lane),
    PluginRoute("POST", "/eta", Permission.CHAT_USE, "estimate_body",  "Estimate how many days a shipment takes on the lane in the body.", body=Lane),
)
JOBS = (
    JobSpec("x.integrator-demo.lane-report", None, "Report the shipments on a lane; done by a remote worker.",
            callable=True, permission=Permission.CHAT_USE, remote=True, input=Lane, result=LaneReport, check="check_report"),
)
# fmt: on


async def estimate(arguments: Lane) -> Eta:
    lane = arguments.lane.strip()
    if not lane:
        raise UserError("Name a lane, such as hamburg-oslo.")
    days = DAYS.get(lane.lower())
    return Eta(lane, USUAL_DAYS if days is None else days, known=days is not None)


async def estimate_query(request: PluginRequest) -> Eta:
    return await estimate(request.query)


async def estimate_body(request: PluginRequest) -> Eta:
    return await estimate(request.body)


def check_report(input: Lane, result: LaneReport) -> str | None:
    if result.lane != input.lane:
        return f"the report is about {result.lane!r:.100}, not about the requested lane"
    if result.shipments < 0:
        return "shipments must be a whole number from 0"
    if not 0 <= result.on_time <= 1:
        return "on_time must be from 0 to 1"
    return None
