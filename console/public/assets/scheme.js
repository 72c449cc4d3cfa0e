// Runs before the first paint, so that a chosen theme is there from the start.
(function () {
  var chosen = "auto";
  try {
    chosen = localStorage.getItem("teamspace.scheme") || "auto";
  } catch (_) {
    // Storage may be closed to us: then the system's preference it is.
  }
  var dark = chosen === "dark" || (chosen === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
})();
