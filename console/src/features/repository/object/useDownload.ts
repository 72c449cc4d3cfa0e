/** Saves a version to disk. */

import { useMutation } from "@tanstack/react-query";

import { noticeFault } from "@/ui/notice";

import type { FileObject } from "../queries";
import { downloadFile } from "../transfer/download";

export function useDownload(file: FileObject) {
  return useMutation({ mutationFn: (version: number) => downloadFile(file.id, version, file.filename), onError: noticeFault });
}
