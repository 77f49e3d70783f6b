// What the pages do beyond plain HTML: a key for the search field, shorter addresses, and the page of a running session,
// which follows it. All other pages work without any script.
"use strict";

(() => {
  const search = document.getElementById("q");
  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches("input, select, textarea");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey || !search) return;
    event.preventDefault();
    search.focus();
  });
  // Fields that ask for nothing do not go into the address that somebody may want to send.
  for (const form of document.querySelectorAll("form.filter"))
    form.addEventListener("submit", () => {
      for (const field of form.elements) if (field.name && !field.value) field.disabled = true;
    });
  // After going back, they can be filled in again.
  addEventListener("pageshow", () => {
    for (const field of document.querySelectorAll("form.filter :disabled")) field.disabled = false;
  });
})();

// The running session: its notes come as events, the report beneath takes new data whenever it has shown the last.
(() => {
  const live = document.getElementById("live");
  if (!live) return;
  const state = document.getElementById("live-state"), frame = document.getElementById("live-report");
  const least_pause_ms = 2000;
  let note = null, reference = null, shown = -1, busy = false, due = 0, over = false;

  const time = (seconds) => seconds < 90 ? `${seconds.toFixed(0)} s` : `${(seconds / 60).toFixed(1)} min`;
  const put = (name, text) => { live.querySelector(`[data-live="${name}"]`).textContent = text || "–"; };
  const render = () => {
    put("phase", note.detail ? `${note.phase}: ${note.detail}` : note.phase);
    put("best", note.best);
    put("trials", note.failed ? `${note.trials}, ${note.failed} failed` : `${note.trials}`);
    put("time", note.limit_s ? `${time(note.elapsed_s)} of ${time(note.limit_s)}` : time(note.elapsed_s));
    if (note.title && document.title !== note.title) {
      document.title = note.title;
      document.querySelector("h1").textContent = note.title;
    }
  };

  // As high as what is in it: one scroll bar, the page's.
  const fit = () => {
    const body = frame.contentDocument?.documentElement;
    if (body) frame.style.height = `${body.scrollHeight + 2}px`;
  };
  const open = () => {
    reference = note.session;
    shown = note.trials;
    frame.hidden = false;
    frame.src = `/session/${reference}/report`;
    frame.addEventListener("load", () => {
      new ResizeObserver(fit).observe(frame.contentDocument.body);
      fit();
    }, { once: true });
  };
  const refresh = async () => {
    const trials = note.trials, began = performance.now();
    const answer = await fetch(`/session/${reference}/data.json`);
    if (!answer.ok) return;
    frame.contentWindow.warptune?.update(await answer.json());
    shown = note.phase === "finished" || note.phase === "ended" ? Infinity : trials;
    // The machine is busy with something else: nine tenths of the time are the session's.
    due = performance.now() + Math.max(least_pause_ms, 9 * (performance.now() - began));
  };
  const follow = async () => {
    if (busy || !note?.session || !note.trials) return;
    if (note.session !== reference) return open();
    const last = note.phase === "finished" || note.phase === "ended";
    if (shown >= note.trials && !(last && shown !== Infinity)) return finish();
    if (performance.now() < due && !last) return;
    busy = true;
    try {
      await refresh();
    } catch {
      // The next note tries again.
    }
    busy = false;
    finish();
  };
  const finish = () => {
    if (note.phase !== "ended" || over) return;
    over = true;
    source.close();
    state.textContent = "The session has ended. This is its last state; It is kept in the store.";
  };

  const source = new EventSource("/events");
  source.addEventListener("note", (event) => {
    note = JSON.parse(event.data);
    state.textContent = "Follows the session.";
    render();
    follow();
    if (note.phase === "ended") setTimeout(finish, 700);
  });
  source.addEventListener("error", () => {
    if (!over) state.textContent = "The program does not answer any more; what was last known stays. Trying again …";
  });
})();
