// Everything here is a convenience: each page works without it.
"use strict";
(() => {
  const html = document.documentElement;
  const said = document.getElementById("said");
  const policy = window.trustedTypes
    ? window.trustedTypes.createPolicy("clawfeed", { createHTML: (text) => text })
    : { createHTML: (text) => text };

  const say = (text) => { said.textContent = text; };

  // Parts of the page: whatever the server sends replaces what has the same id.
  const put = (text) => {
    const parsed = new DOMParser().parseFromString(policy.createHTML(text), "text/html");
    for (const part of [...parsed.body.children]) {
      const old = part.id && document.getElementById(part.id);
      if (!old || old.isEqualNode(part)) continue;
      const focused = old.contains(document.activeElement) ? document.activeElement : null;
      const name = focused && focused.dataset.keep;
      old.replaceWith(document.adoptNode(part));
      const again = name && part.querySelector(`[data-keep="${CSS.escape(name)}"]`);
      if (again) again.focus();
      goOn(part);
      if (part.dataset.said) say(part.dataset.said);
    }
  };

  const isAsking = (form) => form.method.toLowerCase() === "get";
  // Forms that send themselves after so many seconds, while somebody looks.
  const goOn = (within) => {
    for (const form of within.querySelectorAll("form[data-after]")) {
      const wait = () => setTimeout(() => {
        if (!form.isConnected) return;
        if (document.hidden) wait();
        else trySending(form, null).then(wait);
      }, 1000 * form.dataset.after);
      wait();
    }
  };

  const send = async (form, button) => {
    const data = new FormData(form);
    if (button && button.name) data.append(button.name, button.value);
    const fields = new URLSearchParams(data);
    const isGet = isAsking(form);
    const url = new URL(button && button.hasAttribute("formaction") ? button.formAction : form.action);
    if (isGet) {
      for (const name of [...fields.keys()]) if (!fields.get(name)) fields.delete(name);
      url.search = fields;
    }
    const answer = await fetch(url, {
      method: isGet ? "GET" : "POST",
      body: isGet ? undefined : fields,
      headers: { "X-Fragment": "1", Accept: "text/html" },
      redirect: "manual",
    });
    if (answer.status === 401) {
      location.assign(`/login?next=${encodeURIComponent(location.pathname)}`);
      return;
    }
    if (!answer.ok) throw new Error(String(answer.status));
    put(await answer.text());
    if (isGet && form.dataset.fragment === "address") history.replaceState(null, "", url);
  };

  const trySending = (form, button) =>
    send(form, button).catch(() => say(said.dataset.offline));

  // What takes its time is not begun twice. A button that is really disabled would lose the focus.
  const sendOnce = async (form, button) => {
    if (button.ariaDisabled) return;
    button.ariaDisabled = "true";
    await trySending(form, button);
    button.ariaDisabled = null;
  };

  goOn(document);

  document.addEventListener("submit", (event) => {
    const form = event.target;
    const question = (event.submitter && event.submitter.dataset.confirm) || form.dataset.confirm;
    if (question && !window.confirm(question)) {
      event.preventDefault();
    } else if (form.hasAttribute("data-themes")) {
      event.preventDefault();
      html.dataset.theme = event.submitter.value;
      for (const each of form.querySelectorAll("button")) {
        if (each === event.submitter) each.setAttribute("aria-pressed", "true");
        else each.removeAttribute("aria-pressed");
      }
      const fields = new URLSearchParams({ theme: event.submitter.value });
      fetch(form.action, { method: "POST", body: fields, redirect: "manual", keepalive: true }).catch(() => {});
    } else if (form.hasAttribute("data-fragment")) {
      event.preventDefault();
      if (form.hasAttribute("data-typing") && isAsking(form)) ask(form);
      else if (event.submitter) sendOnce(form, event.submitter);
      else trySending(form, null);
    }
  });

  // Forms that answer while one types: one question at a time, so that the last answer is the
  // newest; what was typed meanwhile is asked next.
  let typing;
  const again = new Set();
  const ask = async (form) => {
    if (form.ariaBusy) {
      again.add(form);
      return;
    }
    form.ariaBusy = "true";
    await trySending(form, null);
    form.ariaBusy = null;
    if (again.delete(form)) ask(form);
  };
  document.addEventListener("input", (event) => {
    const form = event.target.form;
    if (!form || !form.hasAttribute("data-typing")) return;
    clearTimeout(typing);
    typing = setTimeout(() => ask(form), 350);
  });

  document.addEventListener("click", (event) => {
    const copy = event.target.closest("[data-copy]");
    if (!copy || !navigator.clipboard) return;
    event.preventDefault();
    navigator.clipboard.writeText(copy.href).then(() => {
      say(copy.dataset.copy);
      const before = copy.textContent;
      copy.textContent = copy.dataset.copy;
      setTimeout(() => { copy.textContent = before; }, 1600);
    }).catch(() => {});
  });

  // Server-sent events: each message is HTML, put in place by its ids. "over" is the last one.
  for (const live of document.querySelectorAll("[data-live]")) {
    let source, again;
    const close = () => { clearTimeout(again); if (source) source.close(); };
    const stale = () => live.setAttribute("data-stale", "");
    const open = () => {
      close();
      source = new EventSource(live.dataset.live);
      source.onmessage = (event) => { live.removeAttribute("data-stale"); put(event.data); };
      source.addEventListener("over", () => { close(); stale(); });
      source.onerror = () => {
        stale();
        // Browsers try again after a cut, but not after a refusal.
        if (source.readyState === EventSource.CLOSED) again = setTimeout(open, 15000);
      };
    };
    const look = () => (document.hidden ? close() : open());
    document.addEventListener("visibilitychange", look);
    addEventListener("pagehide", close);
    addEventListener("pageshow", (event) => { if (event.persisted) look(); });
    if (!document.hidden) open();
  }

  // Keys: j and k walk over what is marked with data-item.
  const items = () => [...document.querySelectorAll("[data-item]")];
  const current = () => document.querySelector("[data-item].here");
  const walk = (by) => {
    const all = items();
    if (!all.length) return;
    const at = all.indexOf(current());
    const next = all[at < 0 ? 0 : Math.min(all.length - 1, Math.max(0, at + by))];
    if (at >= 0) all[at].classList.remove("here");
    next.classList.add("here");
    next.tabIndex = -1;
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "start" });
  };
  const press = (selector) => {
    const found = current() && current().querySelector(selector);
    if (found) found.click();
  };
  const keys = document.getElementById("keys");
  const help = () => (keys.open ? keys.close() : keys.showModal());
  const actions = {
    j: () => walk(1),
    k: () => walk(-1),
    o: () => press("[data-key=o], .sources a"),
    m: () => press("[data-key=m]"),
    "/": () => { const box = document.querySelector("input[type=search]"); if (box) box.focus(); },
    "?": help,
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, select, textarea, [contenteditable]")) return;
    if (keys.open && event.key !== "?") return;
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
  for (const offer of document.querySelectorAll("[data-keys]")) {
    offer.hidden = false;
    offer.addEventListener("click", help);
  }
})();
