import react from "@vitejs/plugin-react";
import type { HtmlTagDescriptor, Plugin } from "vite";
import { defineConfig } from "vitest/config";

import { shownPlugin } from "./shown.js";

const server = "http://127.0.0.1:8080";

/**
 * The files of script, in this order: each takes what is left of all that its modules import. A request costs more
 * than the bytes it brings, so there are few, and nobody waits for a second file that only the first one names.
 */
const chunks = [
  // What sign-in and the frame share is here, or one would load the other.
  { name: "base", test: /src[\\/](main\.tsx|ui[\\/](Mark|quotaWords)\.)|[\\/](ActionIcon|use-document-title)[\\/]|[\\/]IconLanguage\./ },
  { name: "frame", test: /src[\\/](app[\\/]Console\.tsx|features[\\/]home[\\/]|ui[\\/]Dialog\.tsx)/ },
  { name: "entrance", test: /src[\\/]features[\\/]entrance/ },
  { name: "controls", test: /src[\\/](ui[\\/](late|QuotaRefused|Segments|useAddressText|panes)|features[\\/]jobs[\\/]activity[\\/]LatestJobs|app[\\/]shell[\\/](Account|Team)Items)|[\\/](Tooltip|ScrollArea|Table|Tabs|Switch|use-(window-event|local-storage|debounced-value|resize-observer))[\\/]|@tabler[\\/]icons-react/ },
  { name: "dialogs", test: /src[\\/]ui[\\/]DialogWindow|[\\/]Drawer[\\/]/ },
  { name: "box", test: /src[\\/](app[\\/](box|shell[\\/](KeyMap|More))|ui[\\/]inspector[\\/]Inspector|features[\\/]search)/ },
  // What lists and pages of things have in common, without the text of a page.
  { name: "items", test: /src[\\/](api[\\/](upload|request)|ui[\\/](markdown[\\/](addresses|LateMarkdown)|topbar|sharing|presence|references|trash|visibility|shortcuts[\\/]Star|versions[\\/](Name|Version|OldVersion|address|queries)|passage[\\/](Marked|passage)\.|diff[\\/]Diff\.|processing[\\/]Processing\.|writing[\\/](PageSkeleton|drafts)|[A-Z]\w+\.tsx))|[\\/](Textarea|TagsInput|FileButton)[\\/]/ },
  { name: "toasts", test: /src[\\/]app[\\/]ToastStack/ },
  { name: "markdown", test: /src[\\/]ui[\\/]markdown[\\/]Markdown\.tsx/ },
  { name: "formulas", test: /src[\\/]ui[\\/]markdown[\\/]typeset\.ts/ },
  { name: "highlight", test: /src[\\/]ui[\\/]markdown[\\/]highlight\.tsx/ },
  { name: "compared", test: /src[\\/]ui[\\/](versions[\\/]Compared|diff[\\/]RenderedDiff)/ },
  { name: "turns", test: /src[\\/](api[\\/]executors|ui[\\/](turns|passage|languages)[\\/])/ },
  { name: "work", test: /src[\\/](features[\\/](notes|documents)|app[\\/]shell[\\/](ChangingTeam|SigningOut))/ },
  { name: "editor", test: /src[\\/](ui[\\/]markdown[\\/]MarkdownEditor|features[\\/]workflows[\\/]editor[\\/]JsonEditor)/ },
  { name: "files", test: /src[\\/]features[\\/]repository/ },
  { name: "assistance", test: /src[\\/]ui[\\/]markdown[\\/]editor[\\/]Assistance/ },
  { name: "processing", test: /src[\\/]ui[\\/]processing[\\/]ProcessingView/ },
  { name: "chat", test: /src[\\/]features[\\/]chat/ },
  { name: "workflows", test: /src[\\/]features[\\/]workflows/ },
  { name: "settings", test: /src[\\/](?!features[\\/](?:localization|signup))/ },
  { name: "signup", test: /src[\\/]features[\\/]signup/ },
  { name: "localization", test: /src[\\/]features[\\/]localization/ },
];

/** What places of the console show first, besides the frame: by the first part of their addresses. */
const places: Record<string, string[]> = {
  notes: ["work", "markdown"],
  documents: ["work", "markdown"],
  search: ["box"],
  files: ["files"],
  chat: ["chat", "markdown"],
  workflows: ["workflows"],
  settings: ["settings"],
};

/** Names the code of what can be shown first, so that it is fetched together with the code that chooses. */
const firstCode: Plugin = {
  name: "first-code",
  apply: "build",
  transformIndexHtml: {
    order: "post",
    handler(html, { bundle = {}, chunk: entry }) {
      const found = Object.values(bundle).filter((file) => file.type === "chunk");
      /** The files of chunks and of all that they import, without those that are known. */
      const filesOf = (fileNames: readonly string[], known: Iterable<string> = []): string[] => {
        const files = new Set<string>();
        const visited = new Set(known);
        const visit = (fileName: string): void => {
          const chunk = found.find((one) => one.fileName === fileName);
          if (!chunk || visited.has(fileName)) return;
          visited.add(fileName);
          chunk.imports.forEach(visit);
          chunk.viteMetadata?.importedCss.forEach((file) => files.add(file));
          files.add(fileName);
        };
        fileNames.forEach(visit);
        return [...files];
      };
      const named = (names: readonly string[]): string[] => found.filter(({ name }) => names.includes(name)).map(({ fileName }) => fileName);
      const base = filesOf([entry?.fileName ?? ""]);
      const frame = filesOf(named(["frame"]), base);
      const code = {
        entrance: filesOf(named(["entrance"]), base),
        frame,
        places: Object.fromEntries(Object.entries(places).map(([place, names]) => [place, filesOf(named(names), [...base, ...frame])])),
      };
      return html.replace(`src="/assets/scheme.js"`, (tag) => `${tag} data-code='${JSON.stringify(code)}'`);
    },
  },
};

/** Every browser that can run the console reads the smallest of the formats that a font comes in. */
const smallestFonts: Plugin = {
  name: "smallest-fonts",
  enforce: "pre",
  transform: (source, id) => (id.includes("katex") && id.endsWith(".css") ? source.replace(/,url\([^)]*\.(?:woff|ttf)\) format\("\w+"\)/g, "") : undefined),
};

const STYLES = "@mantine/core/styles";
const CLASS_NAMES = /@mantine[\\/]core[\\/]esm[\\/].*?(\w+)\.module\.mjs$/;

/** Each component of Mantine brings its own styles: there are twice as many components as the console uses. */
const ownStyles: Plugin = {
  name: "own-styles",
  apply: "build",
  transform(source, id) {
    const [, component] = CLASS_NAMES.exec(id) ?? [];
    return component && `import "${STYLES}/${component}.layer.css";\n${source}`;
  },
};

/** The development server has them all. */
const allStyles: Plugin = {
  name: "all-styles",
  apply: "serve",
  transformIndexHtml: (): HtmlTagDescriptor[] => [{ tag: "link", attrs: { rel: "stylesheet", href: `/node_modules/${STYLES}.layer.css` }, injectTo: "head" }],
};

export default defineConfig({
  plugins: [react(), smallestFonts, ownStyles, allStyles, firstCode, shownPlugin(new URL(".", import.meta.url).pathname)],
  resolve: { alias: { "@": new URL("./src", import.meta.url).pathname } },
  build: {
    outDir: "../teamspace/console/static",
    emptyOutDir: true,
    // Everything comes from files of this origin: an inlined asset would need a wider policy than the page has.
    assetsInlineLimit: 0,
    target: "es2022",
    rolldownOptions: {
      output: { codeSplitting: { groups: chunks.map((chunk, place) => ({ ...chunk, priority: chunks.length - place })) } },
    },
  },
  // The tests keep nothing between them, and a world of its own for each file takes four times as long.
  // A test that takes long on a busy machine is not a failure.
  test: { isolate: false, testTimeout: 60_000 },
  server: { proxy: { "/api": server, "/health": server } },
});
