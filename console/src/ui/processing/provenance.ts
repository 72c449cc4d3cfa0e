/** What was made from what: found by following sources and derived files from one file, a few steps far. */

import type { Relative, Relatives, Subject } from "./shapes";

export interface ProvenanceFile {
  id: string;
  name: string;
}

export interface Derivation {
  from: ProvenanceFile;
  to: ProvenanceFile;
  /** How it was made; `version` is the derived file's, `source_version` the source's. */
  relative: Relative;
}

export interface Provenance {
  /** The file that was asked about comes first. */
  files: ProvenanceFile[];
  derivations: Derivation[];
  /** There are more files than are followed. */
  isCut: boolean;
}

const FARTHEST = 3;
/** Each costs a request. */
const MOST_FOLLOWED = 12;
const MOST_FILES = 60;

export const nameOfKey = ({ key, filename }: Pick<Subject, "key" | "filename">): string => key.slice(key.lastIndexOf("/") + 1) || filename;

/** Files whose relatives can't be read are there, without them. */
export async function follow(subject: Subject, first: Relatives, fetchRelatives: (id: string) => Promise<Relatives>): Promise<Provenance> {
  const found = new Gathering(subject);
  let edge = found.add(subject.id, first);
  let followed = 0;
  for (let distance = 1; distance < FARTHEST && edge.length > 0; distance += 1) {
    const next = edge.slice(0, MOST_FOLLOWED - followed);
    if (next.length < edge.length) found.isCut = true;
    followed += next.length;
    const relatives = await Promise.all(next.map((id) => fetchRelatives(id).catch(() => null)));
    edge = next.flatMap((id, place) => found.add(id, relatives[place] ?? { sources: [], derived: [] }));
  }
  return found;
}

class Gathering implements Provenance {
  files: ProvenanceFile[];
  isCut = false;
  readonly #derivations = new Map<string, Derivation>();
  readonly #known = new Map<string, ProvenanceFile>();

  constructor(subject: Subject) {
    this.files = [];
    this.#meet(subject);
  }

  get derivations(): Derivation[] {
    return [...this.#derivations.values()];
  }

  /** The ids of files that weren't known before. */
  add(id: string, { sources, derived }: Relatives): string[] {
    const known = new Set(this.#known.keys());
    const self = this.#known.get(id);
    if (!self) return [];
    for (const relative of sources) this.#connect(this.#meet(relative), self, relative);
    for (const relative of derived) this.#connect(self, this.#meet(relative), relative);
    return [...this.#known.keys()].filter((one) => !known.has(one));
  }

  #meet(one: Pick<Subject, "id" | "key" | "filename">): ProvenanceFile | undefined {
    const known = this.#known.get(one.id);
    if (known) return known;
    if (this.files.length >= MOST_FILES) {
      this.isCut = true;
      return undefined;
    }
    const file = { id: one.id, name: nameOfKey(one) };
    this.files.push(file);
    this.#known.set(one.id, file);
    return file;
  }

  /** Of several derivations of the same files, the newest counts. */
  #connect(from: ProvenanceFile | undefined, to: ProvenanceFile | undefined, relative: Relative): void {
    if (!from || !to || from.id === to.id) return;
    const key = `${from.id} ${to.id}`;
    const known = this.#derivations.get(key);
    const isNewer = !known || relative.version > known.relative.version || (relative.version === known.relative.version && !known.relative.changes);
    if (isNewer) this.#derivations.set(key, { from, to, relative });
  }
}

/** Whether this source has changed since, and not only what it is made from. */
export const isBehind = ({ from, relative }: Derivation): boolean => relative.changed_sources.some(({ id }) => id === from.id);

/** Whether a file is made from an older version of a source, or from a file that is. */
export type Age = "current" | "stale" | "source";

/** Of every file. Of derivations, those of the newest version count. */
export function agesOf({ files, derivations }: Pick<Provenance, "files" | "derivations">): ReadonlyMap<string, Age> {
  const newest = new Map<string, number>();
  for (const { to, relative } of derivations) newest.set(to.id, Math.max(newest.get(to.id) ?? 0, relative.version));
  const current = derivations.filter(({ to, relative }) => relative.version === newest.get(to.id));
  const ages = new Map<string, Age>(files.map(({ id }) => [id, "current"]));
  for (const { to, relative } of current) if (relative.stale) ages.set(to.id, "source");
  for (const derivation of current) if (isBehind(derivation)) ages.set(derivation.to.id, "stale");
  for (let changed = true; changed; ) {
    const behind = current.filter(({ from, to }) => ages.get(to.id) === "current" && ages.get(from.id) !== "current");
    for (const { to } of behind) ages.set(to.id, "source");
    changed = behind.length > 0;
  }
  return ages;
}
