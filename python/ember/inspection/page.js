"use strict";
// Marks what belongs together: uses of a value, places of a stream, lines of one origin.
(() => {
  const main = document.querySelector("main");
  const marked = [];
  let kept = false;

  const mark = (selector, name) => {
    for (const element of main.querySelectorAll(selector)) {
      element.classList.add(name);
      marked.push([element, name]);
    }
  };
  const clear = () => {
    for (const [element, name] of marked) element.classList.remove(name);
    marked.length = 0;
  };
  const show = (target) => {
    clear();
    const value = target.closest("[data-value]");
    if (value) {
      mark(`[data-value="${value.dataset.value}"]`, "same-value");
      if (value.dataset.stream) mark(`[data-stream="${value.dataset.stream}"]`, "same-stream");
      return true;
    }
    const line = target.closest("li[data-origin]");
    if (line) mark(`li[data-origin="${line.dataset.origin}"]`, "same-origin");
    return Boolean(line);
  };

  main.addEventListener("mouseover", (event) => {
    if (!kept) show(event.target);
  });
  main.addEventListener("mouseleave", () => {
    if (!kept) clear();
  });
  main.addEventListener("click", (event) => {
    if (!window.getSelection().isCollapsed) return;
    kept = show(event.target);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    kept = false;
    clear();
  });
  for (const box of document.querySelectorAll("[data-column]")) {
    const column = document.getElementById(box.dataset.column);
    const update = () => {
      column.hidden = !box.checked;
    };
    box.addEventListener("change", update);
    update();
  }
})();
