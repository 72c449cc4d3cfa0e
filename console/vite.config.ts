import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const server = "http://127.0.0.1:8080";

export default defineConfig({
  plugins: [react()],
  resolve: { alias: { "@": new URL("./src", import.meta.url).pathname } },
  build: {
    outDir: "../teamspace/console/static",
    emptyOutDir: true,
    // Everything comes from files of this origin: an inlined asset would need a wider policy than the page has.
    assetsInlineLimit: 0,
    target: "es2022",
  },
  server: { proxy: { "/api": server, "/health": server } },
});
