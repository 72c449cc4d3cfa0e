// Runs before the first paint, so that a chosen theme is there from the start.
(function () {
  var code = JSON.parse(document.currentScript.dataset.code || "null");
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

  // The code of the first screen is fetched with the code that asks for it. A wrong guess costs only requests.
  if (!code) return;
  var place = location.pathname.split("/")[2];
  var files = isSignedIn ? code.frame.concat(Object.hasOwn(code.places, place) ? code.places[place] : []) : code.entrance;
  files.forEach(function (file) {
    var hint = document.createElement("link");
    var isStyle = /\.css$/.test(file);
    hint.rel = isStyle ? "preload" : "modulepreload";
    if (isStyle) hint.as = "style";
    hint.crossOrigin = "";
    hint.href = "/" + file;
    document.head.appendChild(hint);
  });
})();
