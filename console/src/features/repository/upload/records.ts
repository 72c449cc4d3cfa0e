/** Uploads by parts that this tab has begun: a reload finds them again, and closing the tab forgets them, like the session. */

const KEY = "teamspace.uploads";

/** Enough to know the same file again. */
export interface Print {
  size: number;
  modified: number;
}

export interface UploadRecord extends Print {
  /** The server's id. */
  upload: string;
  key: string;
  partSize: number;
  /** Null leaves that of a file that is replaced. */
  visibility: string | null;
}

export const printOf = (file: File): Print => ({ size: file.size, modified: file.lastModified });

export const isSame = (one: Print, other: Print): boolean => one.size === other.size && one.modified === other.modified;

export function records(): UploadRecord[] {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "[]");
    return Array.isArray(found) ? found.filter(isRecord) : [];
  } catch {
    return [];
  }
}

export const recordOf = (key: string, print: Print): UploadRecord | undefined => records().find((record) => record.key === key && isSame(record, print));

export const remember = (record: UploadRecord): void => store([...records().filter(({ upload }) => upload !== record.upload), record]);

export const forget = (upload: string): void => store(records().filter((record) => record.upload !== upload));

export const forgetAll = (): void => sessionStorage.removeItem(KEY);

function store(kept: readonly UploadRecord[]): void {
  if (kept.length === 0) return forgetAll();
  try {
    sessionStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // A full storage only means that a reload begins again.
  }
}

function isRecord(value: unknown): value is UploadRecord {
  const { upload, key, partSize, size, modified } = (value ?? {}) as Partial<UploadRecord>;
  return typeof upload === "string" && typeof key === "string" && [partSize, size, modified].every((each) => typeof each === "number");
}
