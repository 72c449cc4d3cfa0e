/** What was dropped or chosen, as files with their paths: folders are walked to their ends. */

export interface Found {
  file: File;
  /** With the folders it lay in. */
  path: string;
}

/** Must be called while the drop is being handled: a moment later the browser has forgotten it. */
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

/** A browser gives the entries of a folder by the hundred, until it gives none. */
async function within(folder: FileSystemDirectoryEntry): Promise<Found[]> {
  const reader = folder.createReader();
  const found: Found[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return found;
    found.push(...(await walked(some)));
  }
}
