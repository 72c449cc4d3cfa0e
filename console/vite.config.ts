import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

import { shownPlugin } from "./shown.js";

const server = "http://127.0.0.1:8080";

/**
 * The files of script, in this order: each takes what is left of all that its modules import. A request costs more
 * than the bytes it brings, so there are few, and nobody waits for a second file that only the first one names.
 */
const chunks = [
  { name: "frame", test: /src[\\/](main\.tsx|features[\\/]home[\\/])/ },
  { name: "box", test: /src[\\/](app[\\/](box|shell[\\/](KeyMap|SigningOut|More))|ui[\\/]inspector[\\/]Inspector)/ },
  { name: "entrance", test: /src[\\/]features[\\/]entrance/ },
  { name: "markdown", test: /src[\\/]ui[\\/]markdown[\\/]Markdown\.tsx/ },
  { name: "formulas", test: /src[\\/]ui[\\/]markdown[\\/]typeset\.ts/ },
  { name: "highlight", test: /src[\\/]ui[\\/]markdown[\\/]highlight\.tsx/ },
  { name: "editor", test: /src[\\/]ui[\\/]markdown[\\/]MarkdownEditor/ },
  { name: "work", test: /src[\\/]features[\\/](search|notes|documents|repository)/ },
  { name: "assistance", test: /src[\\/]ui[\\/]markdown[\\/]editor[\\/]Assistance/ },
  { name: "processing", test: /src[\\/]ui[\\/]processing[\\/]ProcessingView/ },
  { name: "chat", test: /src[\\/]features[\\/]chat/ },
  { name: "settings", test: /src[\\/](?!features[\\/](?:localization|signup))/ },
  { name: "signup", test: /src[\\/]features[\\/]signup/ },
  { name: "localization", test: /src[\\/]features[\\/]localization/ },
];

/** Every browser that can run the console reads the smallest of the formats that a font comes in. */
const smallestFonts: Plugin = {
  name: "smallest-fonts",
  enforce: "pre",
  transform: (source, id) => (id.includes("katex") && id.endsWith(".css") ? source.replace(/,url\([^)]*\.(?:woff|ttf)\) format\("\w+"\)/g, "") : undefined),
};

export default defineConfig({
  plugins: [react(), smallestFonts, shownPlugin(new URL(".", import.meta.url).pathname)],
  resolve: { alias: { "@": new URL("./src", import.meta.url).pathname } },
  build: {
    outDir: "../teamspace/console/static",
    emptyOutDir: true,
    // Everything comes from files of this origin: an inlined asset would need a wider policy than the page has.
    assetsInlineLimit: 0,
    target: "es2022",
    cssCodeSplit: false,
    rolldownOptions: {
      output: { codeSplitting: { groups: chunks.map((chunk, place) => ({ ...chunk, priority: chunks.length - place })) } },
    },
  },
  // The tests keep nothing between them, and a world of its own for each file takes four times as long.
  test: { isolate: false },
  server: { proxy: { "/api": server, "/health": server } },
});
