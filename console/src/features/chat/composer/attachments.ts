/** Files that go with a prompt: small images in it, all else by reference after an upload. */

import { useCallback, useEffect, useRef, useState } from "react";

import { Refusal } from "@/api/client";
import { put } from "@/api/upload";
import { t } from "@/i18n";

import type { Reference } from "../drafts";

export interface Attachment {
  id: number;
  name: string;
  state: "busy" | "ready" | "failed";
  /** From 0 to 1, while it is uploaded. */
  progress: number;
  /** The image itself. */
  image?: string;
  fault?: string;
}

const IMAGES = ["image/png", "image/jpeg", "image/webp", "image/gif"];
/** Bytes of an image that is sent within a prompt: a conversation has room for 2 MiB, with all its answers. */
export const LARGEST_IMAGE = 64 * 1024;
export const MOST = 10;

export const isInline = ({ type, size }: Pick<File, "type" | "size">): boolean => IMAGES.includes(type) && size <= LARGEST_IMAGE;

/** A folder of its own, so that nothing is overwritten. */
export function keyOf(name: string, now: Date, folder: string): string {
  return `chat/${now.toISOString().slice(0, 10)}/${folder}/${name.replaceAll(/[/\\]/g, "_")}`;
}

export interface Attachments {
  items: readonly Attachment[];
  add: (files: readonly File[]) => void;
  remove: (id: number) => void;
  /** Brings back images of a prompt that was refused. */
  restore: (images: readonly string[]) => void;
  clear: () => void;
}

/** `onReference` is told of every file that was uploaded. */
export function useAttachments(place: string, onReference: (reference: Reference) => void): Attachments {
  const [items, setItems] = useState<readonly Attachment[]>([]);
  const stops = useRef(new Map<number, AbortController>());
  const born = useRef(0);
  const told = useRef(onReference);
  useEffect(() => void (told.current = onReference));

  const change = useCallback((id: number, now: Partial<Attachment>) => {
    setItems((all) => all.map((item) => (item.id === id ? { ...item, ...now } : item)));
  }, []);
  const remove = useCallback((id: number) => {
    stops.current.get(id)?.abort();
    setItems((all) => all.filter((item) => item.id !== id));
  }, []);
  const clear = useCallback(() => {
    stops.current.forEach((stop) => stop.abort());
    setItems([]);
  }, []);
  const restore = useCallback((images: readonly string[]) => {
    setItems((all) => [...all, ...images.map((image) => ({ id: ++born.current, name: t("turns.attached.image"), state: "ready" as const, progress: 0, image }))]);
  }, []);
  useEffect(() => clear, [clear, place]);

  const add = useCallback(
    (files: readonly File[]) => {
      for (const file of files.slice(0, MOST)) {
        const id = ++born.current;
        const stop = new AbortController();
        stops.current.set(id, stop);
        setItems((all) => [...all, { id, name: file.name || t("turns.attached.image"), state: "busy", progress: 0 }]);
        const work = isInline(file) ? read(file).then((image) => change(id, { image, state: "ready" })) : upload(file, stop.signal, (progress) => change(id, { progress })).then((reference) => {
          remove(id);
          told.current(reference);
        });
        work.catch((fault: unknown) => {
          if (!stop.signal.aborted) change(id, { state: "failed", fault: fault instanceof Refusal ? fault.message : t("state.failed.unknown") });
        });
      }
    },
    [change, remove],
  );
  return { items, add, remove, restore, clear };
}

function read(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error("unreadable"));
    reader.readAsDataURL(file);
  });
}

async function upload(file: File, signal: AbortSignal, onProgress: (share: number) => void): Promise<Reference> {
  const folder = Math.random().toString(36).slice(2, 6);
  const made = await put(keyOf(file.name, new Date(), folder), file, {
    headers: { "content-type": file.type || "application/octet-stream", "if-none-match": "*" },
    query: { visibility: "private" },
    onSent: (bytes) => onProgress(file.size ? bytes / file.size : 1),
    signal,
  });
  return { type: "object", id: made.id, title: made.filename };
}
