"use strict";
(() => {
const find = document.getElementById("find"), count = document.getElementById("count");
const articles = [...document.querySelectorAll("article")], buttons = [...document.querySelectorAll("[data-only]")];
let only = "all";
function show() {
  const text = find.value.toLowerCase().trim();
  let seen = 0;
  for (const each of articles) {
    each.hidden = !(only === "all" || each.dataset.standing === only) || !each.textContent.toLowerCase().includes(text);
    seen += !each.hidden;
  }
  for (const each of buttons) each.setAttribute("aria-pressed", each.dataset.only === only);
  count.textContent = seen === articles.length ? "" : `${seen} of ${articles.length} specs`;
}
for (const each of buttons) each.onclick = () => { only = each.dataset.only; show(); };
find.oninput = show;
document.onkeydown = e => { if (e.key === "/" && e.target !== find) { e.preventDefault(); find.focus(); } };
show();
})();
