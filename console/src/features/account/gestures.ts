/** Palette actions that need no screen. */

const SCHEME = "teamspace.scheme";

/** The theme provider listens to storage events, as from another tab, so the whole page updates. */
export function switchTheme(): void {
  const next = document.documentElement.dataset.mantineColorScheme === "dark" ? "light" : "dark";
  localStorage.setItem(SCHEME, next);
  window.dispatchEvent(new StorageEvent("storage", { key: SCHEME, newValue: next, storageArea: localStorage }));
}
