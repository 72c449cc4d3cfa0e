/** Events of an answer, as the server sends them. */

import type { ServerEvent } from "@/net/eventParser";
import type { Artifact, Reported } from "@/ui/turns/shapes";

import type { Citation, TokenUsage } from "../api";

export type AnswerEvent =
  | { type: "start"; id: string; model?: string; executor?: string; simulated?: boolean; conversation_id?: string; text?: string; citations?: Citation[] }
  | { type: "delta"; text: string }
  | ({ type: "citation" } & Citation)
  | { type: "tool_call"; call: string; tool: string; arguments: unknown }
  | { type: "tool_result"; call: string; tool: string; ok: boolean; summary?: string; artifact?: Artifact | null; error?: Reported | string | null }
  | { type: "done"; id: string; text: string; finish_reason: string; usage?: TokenUsage; citations?: Citation[] }
  | ({ type: "error" } & Reported);

export interface Numbered {
  stream: string;
  number: number;
  event: AnswerEvent;
}

const PLACE = /^(.+):(\d+)$/;

/** Undefined for unknown events: a newer server may send more kinds. */
export function numberedEvent({ id, data }: ServerEvent): Numbered | undefined {
  const place = PLACE.exec(id);
  if (!place) return undefined;
  try {
    return { stream: place[1] ?? "", number: Number(place[2]), event: JSON.parse(data) as AnswerEvent };
  } catch {
    return undefined;
  }
}
