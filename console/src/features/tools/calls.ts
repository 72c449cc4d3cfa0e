/** Calls of a tool, put together from the audit log: one event when a call is admitted or refused, one when it ends. */

import type { TrailEvent } from "@/ui/trail/source";

export const CALLERS = ["agent", "workflow", "plugin", "mcp"] as const;

export interface Call {
  /** What began the call, or its end if the beginning is further back. */
  event: TrailEvent;
  caller: string;
  end: "running" | "ok" | "refused" | "failed";
  /** Why it was refused. */
  code: string;
}

/** From events, newest first, to calls, newest first. */
export function callsIn(events: readonly TrailEvent[]): Call[] {
  const running = new Map<string, Call[]>();
  const calls: Call[] = [];
  for (const event of [...events].reverse()) {
    const outcome = String(event.detail.outcome);
    const call: Call = { event, caller: String(event.detail.caller), end: endOf(outcome), code: outcome };
    const key = `${event.request_id} ${event.actor.id ?? ""}`;
    if (event.action === "tool.call") {
      calls.push(call);
      if (call.end === "running") running.set(key, [...(running.get(key) ?? []), call]);
    } else if (event.action === "tool.end") {
      const begun = running.get(key)?.shift();
      if (begun) Object.assign(begun, { end: call.end, code: call.code });
      else calls.push(call);
    }
  }
  return calls.reverse();
}

function endOf(outcome: string): Call["end"] {
  if (outcome === "admitted") return "running";
  return outcome === "ok" || outcome === "failed" ? outcome : "refused";
}
