/** A version as a file of one's own: fetched with one's token, which no address may hold. */

import { useMutation } from "@tanstack/react-query";

import { noticeFault } from "@/ui/notice";
import { saveFile } from "@/ui/saveFile";

import { fetchBytes, type FileObject } from "../queries";

export function useDownload(file: FileObject) {
  return useMutation({
    mutationFn: async (version: number) => saveFile(file.filename, await fetchBytes(file.id, version)),
    onError: noticeFault,
  });
}
