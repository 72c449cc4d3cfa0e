/** Dropped or selected files with their paths; folders are read recursively. */

export interface Found {
  file: File;
  /** Path including folders. */
  path: string;
}

/** Must be called in the drop handler: the browser clears the data afterwards. */
export function dropped(transfer: DataTransfer): Promise<Found[]> {
  const entries = [...transfer.items].filter((item) => item.kind === "file").map((item) => item.webkitGetAsEntry());
  if (entries.some((entry) => entry === null)) return Promise.resolve(chosen(transfer.files));
  return walked(entries as FileSystemEntry[]);
}

export function chosen(files: Iterable<File>): Found[] {
  return [...files].map((file) => ({ file, path: file.webkitRelativePath || file.name }));
}

export async function walked(entries: readonly FileSystemEntry[]): Promise<Found[]> {
  const found = await Promise.all(entries.map((entry) => (entry.isDirectory ? within(entry as FileSystemDirectoryEntry) : only(entry as FileSystemFileEntry))));
  return found.flat();
}

async function only(entry: FileSystemFileEntry): Promise<Found[]> {
  const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
  return [{ file, path: entry.fullPath.replace(/^\//, "") }];
}

/** Browsers return a folder's entries in batches of a hundred, until an empty one. */
async function within(folder: FileSystemDirectoryEntry): Promise<Found[]> {
  const reader = folder.createReader();
  const found: Found[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return found;
    found.push(...(await walked(some)));
  }
}
