/** File types: icon, label and preview. */

import {
  IconFile,
  IconFileMusic,
  IconFileSpreadsheet,
  IconFileText,
  IconFileTypePdf,
  IconFileZip,
  IconMail,
  IconMarkdown,
  IconPhoto,
  IconVideo,
  type Icon,
} from "@tabler/icons-react";

import { t, type MessageKey } from "@/i18n";

export type Shown = "image" | "pdf" | "markdown" | "text" | "table" | "audio" | "video";

interface Kind {
  icon: Icon;
  word?: MessageKey;
  shown?: Shown;
}

const KINDS: [RegExp, Kind][] = [
  [/^image\/(png|jpeg|gif|webp|avif|svg\+xml)$/, { icon: IconPhoto, word: "files.kind.image", shown: "image" }],
  [/^image\//, { icon: IconPhoto, word: "files.kind.image" }],
  [/^application\/pdf$/, { icon: IconFileTypePdf, word: "files.kind.pdf", shown: "pdf" }],
  [/^text\/markdown$/, { icon: IconMarkdown, word: "files.kind.markdown", shown: "markdown" }],
  [/^text\/(csv|tab-separated-values)$/, { icon: IconFileSpreadsheet, word: "files.kind.table", shown: "table" }],
  [/spreadsheet|ms-excel/, { icon: IconFileSpreadsheet, word: "files.kind.table" }],
  [/^message\/rfc822$/, { icon: IconMail, word: "files.kind.mail" }],
  [/^text\/|^application\/(json|xml|yaml|toml|javascript|x-sh)/, { icon: IconFileText, word: "files.kind.text" }],
  [/wordprocessing|msword|opendocument\.text|rtf/, { icon: IconFileText, word: "files.kind.document" }],
  [/zip|tar|gzip|compressed/, { icon: IconFileZip, word: "files.kind.archive" }],
  [/^audio\//, { icon: IconFileMusic, word: "files.kind.audio", shown: "audio" }],
  [/^video\//, { icon: IconVideo, word: "files.kind.video", shown: "video" }],
];

const READABLE = /^text\/(?!html)|^application\/(json|xml|yaml|toml|javascript|x-sh)|^message\/rfc822$/;

export function kindOf(contentType: string): Kind {
  const found: Kind = KINDS.find(([pattern]) => pattern.test(contentType))?.[1] ?? { icon: IconFile };
  return found.shown || !READABLE.test(contentType) ? found : { ...found, shown: "text" };
}

/** Longer texts take too long to compare. */
const LONGEST_COMPARED = 500_000;
const COMPARED = new Set<Shown | undefined>(["text", "table", "markdown"]);

/** Whether a version is a text that can be compared with another by words. */
export const isComparable = (version: { content_type: string; size: number }): boolean =>
  COMPARED.has(kindOf(version.content_type).shown) && version.size <= LONGEST_COMPARED;

const LANGUAGES: Record<string, string> = {
  sh: "bash", bash: "bash", c: "cpp", h: "cpp", cc: "cpp", cpp: "cpp", hpp: "cpp", css: "css", diff: "diff", patch: "diff", go: "go",
  ini: "ini", toml: "ini", cfg: "ini", java: "java", js: "javascript", mjs: "javascript", jsx: "javascript", json: "json",
  py: "python", rs: "rust", sql: "sql", ts: "typescript", tsx: "typescript", xml: "xml", svg: "xml", yaml: "yaml", yml: "yaml",
};

/** Language of a text file, for its colours. */
export function languageOf(filename: string, contentType: string): string | undefined {
  const subtype = /^[a-z]+\/(?:x-)?(\w+)$/.exec(contentType)?.[1] ?? "";
  return LANGUAGES[extensionOf(filename).toLowerCase()] ?? Object.values(LANGUAGES).find((name) => name === subtype);
}

/** Type in words: `Image`, or the extension of one that isn't known. */
export function kindWord(contentType: string, filename: string): string {
  const { word } = kindOf(contentType);
  return word ? t(word) : extensionOf(filename) || t("files.kind.other");
}

/** `XYZ`, for a file of unknown type. */
export function extensionOf(filename: string): string {
  return /\.([^.]{1,8})$/.exec(filename)?.[1]?.toUpperCase() ?? "";
}
