/** Continues an agent's run as a new job. */

import { useMutation, useQueryClient } from "@tanstack/react-query";

import { answer, api, Refusal } from "@/api/client";
import { EventParser } from "@/net/eventParser";

import { JOBS } from "./keys";
import type { Job } from "./queries";
import { sameRequest, type AgentRequest } from "./turns";

/** The first event has the text of all rounds before. */
const LONGEST_EVENT = 16 * 1024 * 1024;

export function useContinue() {
  const client = useQueryClient();
  return useMutation({ mutationFn: continueRun, onSettled: () => void client.invalidateQueries({ queryKey: JOBS }) });
}

/** Returns the id of the new job. A run that failed before its first step begins again. */
async function continueRun(job: Job): Promise<string> {
  const request = sameRequest(job);
  try {
    return await begin({ ...request, resume_from: job.id });
  } catch (fault) {
    if (fault instanceof Refusal && fault.problem.key === "agents.no_run") return begin(request);
    throw fault;
  }
}

/** As a stream: otherwise the id would only be known when the run is over. */
async function begin(body: AgentRequest & { resume_from?: string }): Promise<string> {
  const headers = { accept: "text/event-stream" };
  const stream = await answer(api.POST("/api/agent", { body, headers, parseAs: "stream" }));
  return firstId(stream as unknown as ReadableStream<Uint8Array>);
}

/** The run goes on when nobody listens. */
async function firstId(stream: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  const parser = new EventParser(LONGEST_EVENT);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) throw new Refusal(0, {});
      const [first] = parser.feed(decoder.decode(value, { stream: true }));
      if (first) return first.id.replace(/:\d+$/, "");
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}
