// What a page can do beyond links and forms: swap its main part, follow a run, keys, light or dark. All of it is optional.
"use strict";
const root = document.documentElement, main = () => document.getElementById("main");
let busy = null, streams = [];

// Light or dark: as the system has it until somebody chooses.
const kept = localStorage.getItem("theme");
if (kept) root.dataset.theme = kept;

// Swap the main part: every address gives a whole page, and with X-Fragment what stands in its <main>.
async function swap(url, options = {}, push = true) {
  busy?.abort();
  const asked = busy = new AbortController();
  asked.changing = options.method === "POST";
  root.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(url, { ...options, signal: asked.signal, headers: { "X-Fragment": "main" } });
    const text = await answer.text();
    if (!(answer.headers.get("content-type") || "").startsWith("text/html")) return location.assign(url);
    const focus = document.activeElement?.id;
    main().innerHTML = text;
    const title = answer.headers.get("x-title");
    if (title) document.title = new DOMParser().parseFromString(title, "text/html").documentElement.textContent + " · Fogbound";
    if (push && answer.url !== location.href) history.pushState(null, "", answer.url);
    (document.getElementById(focus) || main().querySelector("[autofocus]") || main()).focus({ preventScroll: true });
    arrive();
  } catch (error) {
    if (error.name !== "AbortError") location.assign(options.method ? location.href : url);
  } finally {
    if (busy === asked) { busy = null; root.removeAttribute("aria-busy"); }
  }
}

document.addEventListener("click", event => {
  const link = event.target.closest("a[data-swap], [data-swap-links] a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  swap(link.getAttribute("href")); // the href of a link in a picture is no text
});

document.addEventListener("submit", event => {
  const form = event.target, sent = event.submitter;
  if (!form.matches("form[data-swap]") || form.enctype === "multipart/form-data") return;
  event.preventDefault();
  const data = new URLSearchParams(new FormData(form, sent));
  const action = sent?.getAttribute("formaction") || form.action, method = sent?.getAttribute("formmethod") || form.method;
  if (method === "get") return swap(`${action}?${data}`);
  if (busy?.changing) return; // a second click is no second move
  swap(action, { method: "POST", body: data });
});

document.addEventListener("change", event => {
  const one = event.target.closest("[data-change]"); // a form, or a field that decides about others
  if (one) (one.form || one).requestSubmit();
});

addEventListener("popstate", () => swap(location.href, {}, false));

// A box that follows a run: each event is the HTML of one element inside it, named by its id.
function follow(box) {
  const source = new EventSource(box.dataset.stream);
  source.addEventListener("part", event => {
    const at = event.data.indexOf("\n"), part = document.getElementById(event.data.slice(0, at));
    if (part) part.innerHTML = event.data.slice(at + 1);
  });
  source.addEventListener("over", () => { source.close(); if (!busy?.changing) swap(location.href, {}, false); }); // a move on its way goes first
  streams.push(source);
}

// Keys: an element says its own in aria-keyshortcuts.
const pressed = event => (event.shiftKey && event.code.startsWith("Digit") ? "Shift+" + event.code.slice(5)
  : event.key.length === 1 ? event.key.toUpperCase() : event.key);
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input:not([type=checkbox]), select, textarea, dialog")) return;
  const found = [...document.querySelectorAll("[aria-keyshortcuts]")].find(
    one => one.getAttribute("aria-keyshortcuts").split(" ").some(key => key.toUpperCase() === pressed(event).toUpperCase()));
  if (found && !found.disabled) { event.preventDefault(); found.click(); }
});

function tellKeys() {
  const list = document.querySelector("#keys dl");
  list.replaceChildren(...[...document.querySelectorAll("[aria-keyshortcuts]")].flatMap(one => {
    const key = document.createElement("dt"), what = document.createElement("dd");
    key.textContent = one.getAttribute("aria-keyshortcuts");
    what.textContent = one.getAttribute("aria-label") || one.textContent.trim();
    return [key, what];
  }));
  document.getElementById("keys").showModal();
}

// A file that is dropped anywhere goes into the page's own form for files.
addEventListener("dragover", event => event.preventDefault());
addEventListener("drop", event => {
  const field = document.querySelector("form[data-drop] input[type=file]");
  if (!field || !event.dataTransfer.files.length) return;
  event.preventDefault();
  field.files = event.dataTransfer.files;
  field.form.submit();
});

function arrive() {
  streams.forEach(source => source.close());
  streams = [];
  document.querySelectorAll("[data-stream]").forEach(follow);
}

document.querySelector("[data-keys]").addEventListener("click", tellKeys);
document.querySelector("[data-theme-switch]").addEventListener("click", () => {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem("theme", root.dataset.theme);
});
document.querySelectorAll("[data-keys], [data-theme-switch]").forEach(one => { one.hidden = false; });
arrive();
