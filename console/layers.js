/** An ESLint rule: imports go down the layers, and features don't import each other. Aliased and relative paths alike. */

import { dirname, join, relative, resolve } from "node:path";

const SRC = join(import.meta.dirname, "src");
const LAYERS = ["net", "i18n", "api", "theme", "session", "ui", "navigation", "features", "app"];

/** The layer of a file and, within `features`, the feature; undefined for what is outside or above, such as `main.tsx`. */
function placeOf(path) {
  const [layer, feature] = relative(SRC, path).split(/[\\/]/);
  const rank = LAYERS.indexOf(layer);
  return rank < 0 ? undefined : { layer, rank, feature: layer === "features" ? feature : undefined };
}

function resolved(specifier, file) {
  if (specifier.startsWith("@/")) return join(SRC, specifier.slice(2));
  return specifier.startsWith(".") ? resolve(dirname(file), specifier) : undefined;
}

export default {
  meta: {
    type: "problem",
    schema: [],
    messages: {
      upward: `{{from}} can't import {{to}}: imports go down, along ${[...LAYERS].reverse().join(" > ")}.`,
      sideways: "Features don't import each other: share through a lower layer.",
    },
  },
  create(context) {
    const from = placeOf(context.filename);
    if (!from) return {};
    function check({ source }) {
      const path = typeof source?.value === "string" ? resolved(source.value, context.filename) : undefined;
      const to = path && placeOf(path);
      if (!to) return;
      if (to.rank > from.rank) context.report({ node: source, messageId: "upward", data: { from: from.layer, to: to.layer } });
      if (to.rank === from.rank && to.feature !== from.feature) context.report({ node: source, messageId: "sideways" });
    }
    return { ImportDeclaration: check, ImportExpression: check, ExportNamedDeclaration: check, ExportAllDeclaration: check };
  },
};
