import "./app/trusted";

import "./theme/base.css";
import "@mantine/core/styles.layer.css";
import "@mantine/notifications/styles.layer.css";
import "@fontsource-variable/inter/index.css";
import "@fontsource-variable/jetbrains-mono/index.css";

import { localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { setNonce } from "get-nonce";
import { StrictMode, Suspense, type ReactNode } from "react";
import { createRoot } from "react-dom/client";

import { Refusal } from "./api/client";
import { lazily } from "./api/reach";
import { token } from "./api/token";
import { configQuery } from "./app/Entrance";
import { BASE, router } from "./app/router";
import { whoamiQuery } from "./app/session";
import { loadCatalog } from "./i18n";
import { BrandProvider, brandQuery } from "./theme/brand";
import { theme, variables } from "./theme/mantine";

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // A refusal stays one; only what never reached the server is asked again.
      retry: (count, fault) => count < 2 && fault instanceof Refusal && fault.status === 0,
      // A browser without a network asks all the same, and is told so: the server may be on this very machine.
      networkMode: "always",
    },
    mutations: { networkMode: "always" },
  },
});

// What was fetched as somebody is not shown to whoever signs in next.
token.subscribe(() => token.get() === null && void queries.resetQueries());

const scheme = localStorageColorSchemeManager({ key: "teamspace.scheme" });
const nonce = document.querySelector<HTMLMetaElement>("meta[name=csp-nonce]")?.content ?? "";
setNonce(nonce); // for the lock on scrolling behind a dialog

const Activate = lazily(() => import("./features/entrance/Activate"));

/** The page has four addresses outside the console's own: one redeems a link, the others lead in. */
function opening(): ReactNode {
  if (location.pathname === "/activate") {
    return (
      <Suspense>
        <Activate />
      </Suspense>
    );
  }
  if (!location.pathname.startsWith(`${BASE}/`)) history.replaceState(null, "", `${BASE}/`);
  return <RouterProvider router={router} />;
}

/** Longer than this nobody looks at an empty page: what is late comes while one is told so. */
const PATIENCE = 800;

/** What the first picture is made of, so that it is whole: nothing appears in it later, and nothing moves. */
async function prepare(): Promise<void> {
  const words = loadCatalog();
  await token.borrow();
  const current = token.get();
  const frame = Promise.allSettled([
    fonts(),
    queries.prefetchQuery(configQuery),
    queries.prefetchQuery(brandQuery(current)),
    current && queries.fetchQuery(whoamiQuery(current)).then(({ locale }) => loadCatalog(locale ?? undefined)),
  ]);
  await Promise.all([words, Promise.race([frame, new Promise((late) => setTimeout(late, PATIENCE))])]);
}

function fonts(): Promise<unknown> {
  const style = getComputedStyle(document.documentElement);
  const families = ["--font", "--mono"].map((name) => style.getPropertyValue(name));
  return Promise.allSettled(families.map((family) => document.fonts.load(`1em ${family}`)));
}

async function start(): Promise<void> {
  await prepare();
  const content = opening();
  createRoot(document.getElementById("root") as HTMLElement).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={variables}
        colorSchemeManager={scheme}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce}
      >
        <QueryClientProvider client={queries}>
          <BrandProvider>
            <Notifications position="bottom-right" />
            {content}
          </BrandProvider>
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
}

/** Not even words could be had: this is said without the catalog, and without the frame. */
function apologise(): void {
  const again = document.createElement("button");
  again.textContent = "Try again";
  again.addEventListener("click", () => location.reload());
  const words = document.createElement("p");
  words.textContent = "The server cannot be reached, or is not well. What you wrote here before is kept.";
  document.getElementById("root")?.replaceChildren(words, again);
}

start().catch(apologise);
