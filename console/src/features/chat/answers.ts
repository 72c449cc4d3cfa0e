/** Answers that this tab streams, by conversation; they continue while another screen is shown. */

import { useSyncExternalStore } from "react";

import { randomKey } from "@/api/randomKey";
import { asPerson } from "@/api/renewing";
import { token } from "@/api/token";
import { retryWhileBusy } from "@/net/busy";

import { createConversation, deleteConversation, stopAnswer, type Conversation } from "./api";
import { bodyOf, CHAT, pathOf, type Asked, type Question } from "./question";
import { Answering, type Door, type Snapshot } from "./stream/answering";

export interface Entry {
  asked?: Asked & Pick<Question, "draft">;
  answering: Answering;
}

/** A conversation that doesn't exist yet. */
export const NEW = "new";

const entries = new Map<string, Entry>();
const listeners = new Set<() => void>();
/** Turns whose stream can't be read here: their stored state is polled instead. */
const unheard = new Set<string>();

function tell(): void {
  listeners.forEach((listener) => listener());
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useEntry = (place: string): Entry | undefined => useSyncExternalStore(subscribe, () => entries.get(place));

const IDLE: Snapshot | undefined = undefined;
const never = () => () => undefined;

export function useSnapshot(entry: Entry | undefined): Snapshot | undefined {
  return useSyncExternalStore(entry?.answering.subscribe ?? never, () => entry?.answering.snapshot ?? IDLE);
}

export const isUnheard = (id: string): boolean => unheard.has(id);

export function dismiss(place: string): void {
  entries.get(place)?.answering.abandon();
  if (entries.delete(place)) tell();
}

/** The conversation was created: moves the answer from `new` to its id. */
export function settle(id: string): void {
  const entry = entries.get(NEW);
  if (!entry) return;
  entries.delete(NEW);
  entries.set(id, entry);
  tell();
}

export interface Events {
  onStarted: (conversationId: string) => void;
  onOver: (end: Snapshot, conversationId: string | undefined) => void;
}

/**
 * Without a conversation, one is created, and deleted again if the prompt is refused. Settles when the answer is complete,
 * refused or abandoned.
 */
export function ask(conversation: Conversation | undefined, question: Question, { onStarted, onOver }: Events): Promise<void> {
  let id = conversation?.id;
  const [ofConversation, ofQuestion] = [randomKey(), randomKey()];
  const path = pathOf(question);
  return begin(id ?? NEW, question, {
    connect: async (lastEventId, signal) => {
      id ??= (await createConversation(ofConversation)).id;
      const from = lastEventId ? resumed(lastEventId) : { "idempotency-key": ofQuestion };
      return post(path, lastEventId ? {} : bodyOf(id, question), from, signal);
    },
    stop: stopAnswer,
    onStarted: () => id && onStarted(id),
    onOver: (end) => {
      if (end.refusal && id && !conversation) void deleteConversation(id).catch(() => undefined);
      onOver(end, id);
    },
  });
}

/** Follows an answer that was started in another tab, or before a reload. */
export function resume(conversationId: string, turnId: string, onOver: Door["onOver"]): void {
  if (entries.has(conversationId) || unheard.has(turnId)) return;
  const door: Door = {
    connect: (lastEventId, signal) => post(CHAT, {}, resumed(lastEventId ?? `${turnId}:0`), signal),
    stop: stopAnswer,
    onOver: (end) => {
      if (end.isGone || end.refusal) {
        unheard.add(turnId);
        dismiss(conversationId);
      }
      onOver?.(end);
    },
  };
  void begin(conversationId, undefined, door, turnId);
}

function begin(place: string, asked: Entry["asked"], door: Door, id?: string): Promise<void> {
  entries.get(place)?.answering.abandon();
  const answering = new Answering(door, id);
  entries.set(place, { asked, answering });
  tell();
  return answering.run();
}

const resumed = (lastEventId: string): Record<string, string> => ({ "last-event-id": lastEventId });

/** `from` says where the stream begins, or which request it is. */
function post(path: string, body: object, from: Record<string, string>, signal: AbortSignal): Promise<Response> {
  const headers = { accept: "text/event-stream", "content-type": "application/json", ...from };
  const sent = { method: "POST", body: JSON.stringify(body), cache: "no-store", signal } as const;
  return asPerson((bearer) => retryWhileBusy(() => fetch(path, { ...sent, headers: { ...headers, authorization: `Bearer ${bearer ?? ""}` } }), signal));
}

window.addEventListener("online", () => entries.forEach(({ answering }) => answering.renew()));

// Answers belong to the session.
token.subscribe(() => {
  if (token.get() !== null) return;
  entries.forEach(({ answering }) => answering.abandon());
  entries.clear();
  unheard.clear();
  tell();
});
