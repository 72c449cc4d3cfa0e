/**
 * Sends a large file by parts. After a lost connection, a restart of the server or a reload, the server is asked which
 * parts it has, and the others are sent.
 */

import { answer, api, Refusal } from "@/api/client";
import { putPart } from "@/api/upload";

import { persistently } from "./persistence";
import type { Sending } from "./queue";
import { forget, printOf, recordOf, remember, type UploadRecord } from "./records";

const MIB = 1024 * 1024;
const PART = 8 * MIB;
const MOST_PARTS = 10_000;
/** How often an upload begins again that the server has forgotten, or says is incomplete. */
const MOST_BEGINNINGS = 3;

/** Files of one part are sent at once. */
export const isLong = (file: Blob): boolean => file.size > PART;

/** Whole mebibytes, and never more parts than the server takes. */
export const partSizeOf = (size: number): number => Math.max(PART, Math.ceil(size / MOST_PARTS / MIB) * MIB);

/** Sizes of a file's parts, in order. */
export function partsOf(size: number, partSize: number): number[] {
  const count = Math.max(1, Math.ceil(size / partSize));
  return Array.from({ length: count }, (_, index) => Math.min(partSize, size - index * partSize));
}

export async function sendParts(sending: Sending): Promise<{ id: string }> {
  for (let beginning = 1; ; beginning++) {
    const record = (await continued(sending)) ?? (await begun(sending));
    try {
      await sendMissing(record, sending);
      const made = await completed(record, sending);
      forget(record.upload);
      return made;
    } catch (fault) {
      const isGone = fault instanceof Refusal && fault.status === 404;
      const isIncomplete = fault instanceof Refusal && fault.problem.key === "repository.parts_missing";
      if (isGone) forget(record.upload);
      if (!(isGone || isIncomplete) || beginning === MOST_BEGINNINGS) throw fault;
    }
  }
}

/** What was begun before, unless it would give a file that it replaces the visibility of a new one. */
async function continued({ key, file, replaces }: Sending): Promise<UploadRecord | undefined> {
  const record = recordOf(key, printOf(file));
  if (!record || !replaces || record.visibility === null) return record;
  await discardRecord(record);
  return undefined;
}

/** Discards what the server has of an upload that nobody wants any more. */
export async function discard(key: string, file: File): Promise<void> {
  const record = recordOf(key, printOf(file));
  if (record) await discardRecord(record);
}

export async function discardRecord({ upload }: UploadRecord): Promise<void> {
  forget(upload);
  // If this can't be sent, the server discards it after a day.
  await answer(api.DELETE("/api/repo-uploads/{id}", { params: { path: { id: upload } } })).catch(() => undefined);
}

async function begun({ key, file, replaces, signal, onLost, ...sending }: Sending): Promise<UploadRecord> {
  const visibility = replaces ? null : sending.visibility;
  const body = { key, content_type: file.type, filename: null, visibility };
  const { id } = await persistently(() => answer(api.POST("/api/repo-uploads", { body, signal })), signal, onLost);
  const record: UploadRecord = { upload: id, key, partSize: partSizeOf(file.size), visibility, ...printOf(file) };
  remember(record);
  return record;
}

async function sendMissing(record: UploadRecord, { file, signal, onSent, onLost }: Sending): Promise<void> {
  const sizes = partsOf(file.size, record.partSize);
  const stored = await persistently(() => storedParts(record.upload, signal), signal, onLost);
  let sent = 0;
  for (const [index, size] of sizes.entries()) {
    if (stored.get(index + 1) !== size) {
      const start = index * record.partSize;
      const part = file.slice(start, start + size);
      const before = sent;
      await persistently(() => putPart(record.upload, index + 1, part, { signal, onSent: (bytes) => onSent(before + bytes) }), signal, onLost);
    }
    sent += size;
    onSent(sent);
  }
}

/** Sizes of the parts that the server has, by number. */
export async function storedParts(upload: string, signal?: AbortSignal): Promise<Map<number, number>> {
  const stored = new Map<number, number>();
  let cursor: string | undefined;
  do {
    const query = { cursor, limit: 200 };
    const page = await answer(api.GET("/api/repo-uploads/{id}/parts", { params: { path: { id: upload }, query }, signal }));
    page.items.forEach(({ number, size }) => stored.set(number, size));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return stored;
}

function completed({ upload, size }: UploadRecord, { replaces, signal, onLost }: Sending): Promise<{ id: string }> {
  const headers: Record<string, string> = replaces ? {} : { "if-none-match": "*" };
  const complete = () => answer(api.POST("/api/repo-uploads/{id}/complete", { params: { path: { id: upload } }, headers, body: { size }, signal }));
  return persistently(complete, signal, onLost);
}
