import "./app/trusted";

import "./theme/base.css";
import "@mantine/core/styles/baseline.layer.css";
import "@mantine/core/styles/default-css-variables.layer.css";
import "@mantine/core/styles/global.layer.css";
import "@mantine/notifications/styles.layer.css";
import "@fontsource-variable/inter/index.css";
import "@fontsource-variable/jetbrains-mono/index.css";

import { DirectionProvider, localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { setNonce } from "get-nonce";
import { StrictMode, Suspense, type ReactNode } from "react";
import { createRoot } from "react-dom/client";

import { Refusal } from "./api/client";
import { staying } from "./api/staying";
import { token } from "./api/token";
import { ConnectionBar } from "./app/ConnectionBar";
import { BASE } from "./app/base";
import { Entrance, loadFirst } from "./app/Entrance";
import { Toasts } from "./app/Toasts";
import { loadCatalog } from "./i18n";
import { preview } from "./i18n/preview";
import { onServerBack } from "./net/reachability";
import { whoamiQuery } from "./session";
import { configQuery } from "./session/config";
import { BrandProvider, brandQuery } from "./theme/brand";
import { theme, variables } from "./theme/mantine";
import { lazily } from "./ui/lazily";

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // A refusal is final; only what never reached the server is retried.
      retry: (count, fault) => count < 2 && fault instanceof Refusal && fault.status === 0,
      // Without a network, requests are sent all the same: the server may be on this machine.
      networkMode: "always",
    },
    mutations: { networkMode: "always" },
  },
});

// Whatever is on screen is fetched again: what failed meanwhile, and what may have changed.
onServerBack(() => void queries.invalidateQueries());
onServerBack(staying.enterAgain);

// What one person fetched isn't shown to the next.
token.subscribe(() => token.get() === null && void queries.resetQueries());

// The same person goes on: nothing on screen begins anew.
token.onRenewal((used, current) => {
  queries.setQueryData(whoamiQuery(current).queryKey, queries.getQueryData(whoamiQuery(used).queryKey));
  queries.setQueryData(brandQuery(current).queryKey, queries.getQueryData(brandQuery(used).queryKey));
});

staying.watch(() => queries.getQueryData(whoamiQuery(token.get()).queryKey)?.user.id);

const scheme = localStorageColorSchemeManager({ key: "teamspace.scheme" });
const nonce = document.querySelector<HTMLMetaElement>("meta[name=csp-nonce]")?.content ?? "";
setNonce(nonce); // for the lock on scrolling behind a dialog

const Activate = lazily(() => import("./features/entrance/Activate"));

/** Outside of the base path, `/activate` redeems a link; every other address leads in. */
function content(): ReactNode {
  if (location.pathname === "/activate") {
    return (
      <Suspense>
        <Activate />
      </Suspense>
    );
  }
  if (!location.pathname.startsWith(`${BASE}/`)) history.replaceState(null, "", `${BASE}/`);
  return <Entrance />;
}

/** An empty page isn't shown for longer than this: what is late loads in view. */
const LONGEST_MS = 800;

/** Loads what the first frame shows, so that nothing appears in it later and nothing moves. */
async function prepare(): Promise<void> {
  const words = loadCatalog();
  const late = new Promise((resolve) => setTimeout(resolve, LONGEST_MS));
  await Promise.race([opensWithoutSession() ? token.borrow() : staying.enter(), late]);
  const current = token.get();
  const rest = Promise.allSettled([
    fonts(),
    location.pathname === "/activate" || loadFirst(queries, current !== null),
    queries.prefetchQuery(configQuery),
    queries.prefetchQuery(brandQuery(current)),
    current && queries.fetchQuery(whoamiQuery(current)).then(({ locale }) => loadCatalog(locale ?? undefined)),
  ]);
  await Promise.all([words, Promise.race([rest, late])]);
}

/** Whoever redeems a link begins a new session; a preview has that of the console around it. */
const opensWithoutSession = (): boolean => location.pathname === "/activate" || preview() !== undefined;

function fonts(): Promise<unknown> {
  const style = getComputedStyle(document.documentElement);
  const families = ["--font", "--mono"].map((name) => style.getPropertyValue(name));
  return Promise.allSettled(families.map((family) => document.fonts.load(`1em ${family}`)));
}

const RETRY_MS = 3_000;

/** Without the catalog there is nothing to show but the connection bar, whose words are built in. */
async function prepared(): Promise<void> {
  for (;;) {
    try {
      return await prepare();
    } catch {
      render(<ConnectionBar lost />);
      await new Promise((resume) => setTimeout(resume, RETRY_MS));
    }
  }
}

const root = createRoot(document.getElementById("root") as HTMLElement);

function render(children: ReactNode): void {
  root.render(
    <StrictMode>
      <DirectionProvider>
        <MantineProvider
          theme={theme}
          cssVariablesResolver={variables}
          colorSchemeManager={scheme}
          defaultColorScheme="auto"
          getStyleNonce={() => nonce}
        >
          <QueryClientProvider client={queries}>{children}</QueryClientProvider>
        </MantineProvider>
      </DirectionProvider>
    </StrictMode>,
  );
}

async function start(): Promise<void> {
  await prepared();
  const show = (turn: number): void =>
    render(
      <BrandProvider key={turn}>
        <Toasts />
        <ConnectionBar />
        {content()}
      </BrandProvider>,
    );
  show(0);
  if (preview()) (await import("./app/preview")).followPreview(show);
}

void start();
