/** What the palette does about oneself, outside of any screen. */

const SCHEME = "teamspace.scheme";

/** The provider of the theme hears it as it hears another tab, so that every part of the page agrees. */
export function switchTheme(): void {
  const next = document.documentElement.dataset.mantineColorScheme === "dark" ? "light" : "dark";
  localStorage.setItem(SCHEME, next);
  window.dispatchEvent(new StorageEvent("storage", { key: SCHEME, newValue: next, storageArea: localStorage }));
}
