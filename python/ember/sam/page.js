"use strict";
// Steps through cycles: what an output shows in a cycle stands at its wire.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const slider = document.getElementById("cycle");
  const side = document.getElementById("stream");
  const play = document.getElementById("play");
  const labels = new Map();
  for (const element of document.querySelectorAll("[data-token]"))
    labels.set(element.dataset.token, element);
  const wires = new Map();
  for (const element of document.querySelectorAll("[data-wire]")) {
    const name = element.dataset.wire;
    if (!wires.has(name)) wires.set(name, []);
    wires.get(name).push(element);
  }
  // The number of tokens up to each cycle: a binary search in the cycles of a wire.
  const shownUpTo = (tokens, cycle) => {
    let low = 0;
    let high = tokens.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (tokens[middle][0] <= cycle) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  let cycle = 0;
  let timer = null;
  let chosen = null;
  let kept = false;

  const streamOf = (wire) => {
    const tokens = data.tokens[wire] || [];
    const count = shownUpTo(tokens, cycle);
    const section = document.createElement("section");
    const head = document.createElement("h3");
    head.textContent = wire;
    const list = document.createElement("p");
    list.className = "tokens";
    // A window about the latest one.
    for (let at = Math.max(0, count - 60); at < Math.min(tokens.length, count + 30); ++at) {
      const word = document.createElement("span");
      word.textContent = tokens[at][1];
      word.title = `cycle ${tokens[at][0]}`;
      word.className = at >= count ? "later" : tokens[at][0] === cycle ? "now" : "";
      list.append(word, " ");
    }
    section.append(head, list);
    return section;
  };
  const showSide = () => {
    if (!chosen) return;
    const parts = [];
    if (chosen.block) {
      const [kind, ...facts] = data.blocks[chosen.block];
      const head = document.createElement("h2");
      head.textContent = chosen.block;
      const line = document.createElement("p");
      line.textContent = `${kind}: ${facts.join(", ")}`;
      parts.push(head, line);
    }
    side.replaceChildren(...parts, ...chosen.wires.map(streamOf));
  };
  const show = (wanted) => {
    cycle = Math.max(0, Math.min(data.cycles - 1, wanted));
    slider.value = cycle;
    document.getElementById("number").textContent = `cycle ${cycle} of ${data.cycles}`;
    for (const [name, label] of labels) {
      const tokens = data.tokens[name] || [];
      const count = shownUpTo(tokens, cycle);
      const isNow = count > 0 && tokens[count - 1][0] === cycle;
      label.toggleAttribute("hidden", !isNow);
      label.closest(".block").classList.toggle("shows", false);
      for (const wire of wires.get(name) || []) wire.classList.toggle("live", isNow);
      if (!isNow) continue;
      const text = tokens[count - 1][1];
      label.querySelector("text").textContent = text;
      label.querySelector("rect").setAttribute("width", 16 + 7 * text.length);
    }
    for (const label of labels.values())
      if (!label.hasAttribute("hidden")) label.closest(".block").classList.add("shows");
    showSide();
  };
  const stop = () => {
    clearInterval(timer);
    timer = null;
    play.textContent = "run";
  };
  const run = () => {
    if (timer !== null) return stop();
    if (cycle >= data.cycles - 1) show(0);
    play.textContent = "stop";
    const speed = Math.max(1, Number(document.getElementById("speed").value) || 4);
    timer = setInterval(() => {
      show(cycle + 1);
      if (cycle >= data.cycles - 1) stop();
    }, 1000 / speed);
  };
  const choose = (target) => {
    const wire = target.closest("[data-wire], [data-token]");
    const block = target.closest("[data-block]");
    if (!wire && !block) return false;
    for (const element of document.querySelectorAll(".chosen")) element.classList.remove("chosen");
    if (wire) {
      const name = wire.dataset.wire || wire.dataset.token;
      chosen = { wires: [name] };
      for (const element of wires.get(name) || []) element.classList.add("chosen");
    } else {
      const name = block.dataset.block;
      chosen = { block: name, wires: Object.keys(data.tokens).filter((one) => one.startsWith(`${name}.`)) };
      block.classList.add("chosen");
    }
    showSide();
    return true;
  };

  slider.addEventListener("input", () => show(Number(slider.value)));
  document.getElementById("back").addEventListener("click", () => show(cycle - 1));
  document.getElementById("next").addEventListener("click", () => show(cycle + 1));
  play.addEventListener("click", run);
  document.getElementById("graph").addEventListener("mouseover", (event) => {
    if (!kept) choose(event.target);
  });
  document.getElementById("graph").addEventListener("click", (event) => {
    kept = choose(event.target);
  });
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("input[type=number]")) return;
    if (event.key === "ArrowRight") show(cycle + 1);
    else if (event.key === "ArrowLeft") show(cycle - 1);
    else if (event.key === " ") run();
    else if (event.key === "Escape") kept = false;
    else return;
    event.preventDefault();
  });
  show(0);
})();
