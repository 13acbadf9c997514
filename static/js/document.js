// Of many documents the one that is read is in sight in the list beside it.
(() => {
  "use strict";
  const list = document.querySelector(".chapters");
  const here = list.querySelector("[aria-current]");
  if (here && here.offsetTop > list.clientHeight / 2) list.scrollTop = here.offsetTop - list.clientHeight / 3;
})();
