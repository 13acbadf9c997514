// Printing: every open section is read before the page goes to paper, and what is folded of the findings and of who and
// what is opened for it; title and address stand at the head of each page.
(() => {
  "use strict";
  const root = document.documentElement;
  const quoted = (text) => `"${text.replace(/["\\\n\r]/g, " ")}"`;
  // Which pair or baseline it is: without it the address would lead to another.
  const which = () => {
    const given = new URLSearchParams(location.search);
    const named = ["pair", "baseline", "second"].filter((name) => given.get(name)).map((name) => `${name}=${given.get(name)}`);
    return named.length ? `?${named.join("&")}` : "";
  };
  const heads = () => {
    const title = document.querySelector(".bar .title");
    root.style.setProperty("--page-head", quoted(title ? title.textContent.trim() : document.title));
    root.style.setProperty("--page-address", quoted(location.origin + location.pathname + which()));
  };

  const unread = () => [...document.querySelectorAll(".sec:not(.folded) > .body")].filter((body) => !body.classList.contains("loaded"));
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

  const print = async (status) => {
    for (const body of unread()) window.awr.read(body.closest(".sec"));
    const end = Date.now() + 30000;
    while (unread().length && Date.now() < end) {
      if (status) status.textContent = `Reading ${unread().length} open sections…`;
      await pause(100);
    }
    if (status) status.textContent = "";
    await pause(50);
    window.print();
  };

  // Every finding with its sentence and evidence, every ranked row; on the screen they are as they were afterwards.
  const FOLDED = ":is(#findings, #ranked, #time) details.more:not([open]), .find > li > details:not([open])";
  let opened = [];
  const unfold = () => {
    fold();
    opened = [...document.querySelectorAll(FOLDED)];
    for (const one of opened) one.open = true;
  };
  const fold = () => {
    for (const one of opened) one.open = false;
    opened = [];
  };

  addEventListener("beforeprint", () => { heads(); unfold(); });
  addEventListener("afterprint", fold);
  heads();
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-print]");
    if (!button) return;
    const menu = button.closest("details");
    print(menu ? menu.querySelector("#copied") : null).then(() => { if (menu) menu.open = false; });
  });
  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey || event.key.toLowerCase() !== "p") return;
    event.preventDefault();
    print(null);
  });
})();
