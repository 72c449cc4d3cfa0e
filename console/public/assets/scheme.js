// Runs before the first paint, so that a chosen theme is there from the start.
(function () {
  var page = document.currentScript.dataset;
  var chosen = "auto";
  var isSignedIn = false;
  try {
    chosen = localStorage.getItem("teamspace.scheme") || "auto";
    isSignedIn = sessionStorage.getItem("teamspace.token") !== null || localStorage.getItem("teamspace.stay") === "kept";
  } catch (_) {
    // Storage may be closed to us: then the system's preference it is.
  }
  var dark = chosen === "dark" || (chosen === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");

  // The code of the first screen is fetched with the code that asks for it. A wrong guess costs only a request.
  ((isSignedIn ? page.frame : page.entrance) || "").split(" ").filter(Boolean).forEach(function (file) {
    var hint = document.createElement("link");
    var isStyle = /\.css$/.test(file);
    hint.rel = isStyle ? "preload" : "modulepreload";
    if (isStyle) hint.as = "style";
    hint.crossOrigin = "";
    hint.href = file;
    document.head.appendChild(hint);
  });
})();
