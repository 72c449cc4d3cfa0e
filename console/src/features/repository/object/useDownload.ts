/** Downloads a version with the user's token, which mustn't be in a URL. */

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
