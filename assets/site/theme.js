// Light or dark before the first paint. Storage may be forbidden, on disk or in private windows.
(function () {
  "use strict";
  var root = document.documentElement;
  root.classList.add("js");
  try {
    var theme = localStorage.getItem("course:theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  } catch (error) {
    // Then the system's wish holds.
  }
})();
