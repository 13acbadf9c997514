// What a table needs that CSS does not give: a wide one's head stays in sight, a text that is cut opens by key too.
(() => {
  "use strict";
  const top = () => parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--top")) || 0;

  // A box that scrolls sideways keeps its head inside: it is moved by as much as the page has passed it.
  const follow = () => {
    const line = top();
    for (const box of document.querySelectorAll(".scroll.wide")) {
      const head = box.querySelector("thead");
      if (!head) continue;
      const { top: above, bottom } = box.getBoundingClientRect();
      const room = box.clientHeight - head.offsetHeight - 40;
      const by = bottom < 0 || above > line ? 0 : Math.max(0, Math.min(line - above, room));
      head.style.transform = by ? `translateY(${Math.round(by)}px)` : "";
    }
  };
  let waiting = false;
  const soon = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; follow(); });
  };
  addEventListener("scroll", soon, { passive: true });
  addEventListener("resize", soon);

  // Only a text that does not fit is a button.
  const buttons = (from) => {
    for (const text of from.querySelectorAll(".under")) {
      if (text.classList.contains("more") || text.scrollHeight <= text.clientHeight + 1) continue;
      text.setAttribute("role", "button");
      text.setAttribute("aria-expanded", "false");
      text.tabIndex = 0;
    }
  };
  const toggle = (text) => text.setAttribute("aria-expanded", String(text.classList.toggle("more")));
  document.addEventListener("section-shown", (event) => { buttons(event.detail); soon(); });
  document.addEventListener("click", (event) => {
    const text = event.target.closest(".under[role=button]");
    if (text && !String(getSelection())) toggle(text);
  });
  document.addEventListener("keydown", (event) => {
    if (!event.target.matches(".under[role=button]") || ![" ", "Enter"].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation(); // Enter elsewhere in a row opens its panel
    toggle(event.target);
  }, true);
})();
