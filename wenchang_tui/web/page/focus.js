// Keys go to the app without a click first; the terminal is there once the page is loaded.
addEventListener("load", () => document.querySelector(".xterm-helper-textarea").focus());
