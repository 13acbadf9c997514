({
  // Of rows that are made alike, element by element and class by class, all but one.
  rows() {
    for (const body of document.querySelectorAll("tbody")) {
      const seen = new Set();
      for (const row of body.rows) {
        const made = [row, ...row.querySelectorAll("*")].map((e) => `${e.tagName} ${e.getAttribute("class")}`).join();
        row.toggleAttribute("data-alike", seen.has(made));
        seen.add(made);
      }
    }
  },

  // Of texts that look alike, one; how many there are. Alike are those of one kind of element in one kind of element,
  // with one font and colour, on backgrounds of the same colours, whether these are around them or are laid over or
  // under them, all of them to be seen or none. What axe judges otherwise is kept apart: single signs, disabled things.
  texts(inside) {
    const CONTROLS = "button, input, option, select, textarea";
    const chains = new Map([[null, { painted: "", clips: [] }]]);
    const boxes = [];
    const seen = new Set();
    const made = (e) => `${e?.tagName} ${e?.getAttribute("class")}`;
    const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
    const within = (a, b) => a.left >= b.left - 1 && a.right <= b.right + 1 && a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
    const look = (e) => {
      const style = getComputedStyle(e), around = chains.get(e.parentElement);
      const filled = style.backgroundImage !== "none" || !/^rgba\(.*, 0\)$/.test(style.backgroundColor);
      const paint = filled ? `${style.backgroundColor} ${style.backgroundImage}` : "";
      const more = [style.opacity, style.filter, style.mixBlendMode, style.clip, style.clipPath].join();
      const clips = style.overflow === "visible" ? around.clips : [...around.clips, e.getBoundingClientRect()];
      chains.set(e, { painted: `${around.painted}/${paint}${more === "1,none,normal,auto,none" ? "" : more}`, clips });
      if (filled) boxes.push({ e, paint, at: e.getBoundingClientRect() });
    };
    const all = [document.documentElement, ...document.body.querySelectorAll("*")];
    all.splice(1, 0, document.body);
    all.forEach(look);
    const range = document.createRange();
    for (const e of all) {
      e.removeAttribute("data-text");
      if (!e.closest(inside) || !e.checkVisibility({ visibilityProperty: true })) continue;
      const texts = [...e.childNodes].filter((one) => one.nodeType === 3 && one.data.trim());
      if (!texts.length && !e.matches(CONTROLS)) continue;
      if (texts.length) {
        range.setStartBefore(texts[0]);
        range.setEndAfter(texts.at(-1));
      }
      const at = texts.length ? range.getBoundingClientRect() : e.getBoundingClientRect();
      const style = getComputedStyle(e), { painted, clips } = chains.get(e);
      const touching = boxes.filter((box) => !apart(at, box.at) && !box.e.contains(e)).map((box) => box.paint);
      const kind = [
        made(e), made(e.parentElement), style.color, style.fontSize, style.fontWeight, style.textShadow, painted,
        [...new Set(touching)].join("+"), clips.every((clip) => within(at, clip)),
        !!(e.closest(":disabled, [aria-disabled=true], [inert]") || e.closest("label")?.control?.disabled),
        /[\p{L}\p{N}].*[\p{L}\p{N}]/su.test(texts.map((one) => one.data).join("")),
      ].join(";");
      e.toggleAttribute("data-text", !seen.has(kind));
      seen.add(kind);
    }
    return seen.size;
  },
})
